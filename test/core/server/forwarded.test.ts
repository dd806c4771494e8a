import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";
import { linesOf, logOf } from "./log-of.ts";

const folder = useTemporaryFolder();

const MESSAGE = "X-Forwarded-For ignored: limits count all clients of its sender as one";

/** Returns the reasons that an instance logs for registrations with this header. */
async function reasonsFor(trusted: string, forwarded: string): Promise<unknown[]> {
	const flags = ["--rate-limits", "on", "--trusted-proxies", trusted];
	const { stderr } = await logOf(folder, flags, async (url) => {
		const headers = {
			"content-type": "application/json",
			"x-forwarded-for": forwarded,
		};
		const body = JSON.stringify({ name: "Ada" });
		for (let times = 0; times < 3; times++) {
			const sent = await fetch(`${url}/api/agents`, {
				method: "POST",
				headers,
				body,
			});
			expect(sent.status).toBe(201);
		}
	});
	return linesOf(stderr, MESSAGE).map(({ reason }) => reason);
}

describe("an X-Forwarded-For that is ignored is logged once", () => {
	test.each([
		["127.0.0.1", "unknown", "an entry is not an address"],
		["127.0.0.1", "203.0.113.7, ", "an entry is not an address"],
		["127.0.0.1", "unknown, 127.0.0.1", "an entry is not an address"],
		["10.0.0.1", "203.0.113.7", "127.0.0.1 is not in --trusted-proxies"],
	])("trusted %s, forwarded %s", async (trusted, forwarded, reason) => {
		expect(await reasonsFor(trusted, forwarded)).toEqual([reason]);
	});

	test.each(["203.0.113.7:4711", "[2001:db8::7]:443", "unknown, 203.0.113.7"])(
		"but nothing of %s",
		async (forwarded) => {
			expect(await reasonsFor("127.0.0.1", forwarded)).toEqual([]);
		},
	);
});
