import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../support/folder.ts";
import { linesOf, logOf } from "./log-of.ts";

const folder = useTemporaryFolder();

const MESSAGE = "X-Forwarded-For ignored: limits count all clients of its sender as one";

/** Returns the reasons that an instance logs for ignoring X-Forwarded-For in three registrations. */
async function reasonsFor(trusted: string, forwarded: string): Promise<unknown[]> {
	const flags = ["--rate-limits", "on", "--trusted-proxies", trusted];
	const { stderr } = await logOf(folder, flags, async (url) => {
		for (let times = 0; times < 3; times++) {
			const body = new Blob(['{"name":"Ada"}'], { type: "application/json" });
			const headers = { "x-forwarded-for": forwarded };
			const { status } = await fetch(`${url}/api/agents`, { method: "POST", headers, body });
			expect(status).toBe(201);
		}
	});
	return linesOf(stderr, MESSAGE).map(({ reason }) => reason);
}

describe("X-Forwarded-For", () => {
	test.each([
		["127.0.0.1", "unknown", "an entry is not an address"],
		["127.0.0.1", "203.0.113.7, ", "an entry is not an address"],
		["127.0.0.1", "unknown, 127.0.0.1", "an entry is not an address"],
		["10.0.0.1", "203.0.113.7", "127.0.0.1 is not in --trusted-proxies"],
	])(
		"with --trusted-proxies %s, the value %j is ignored, and the reason is logged once: %s",
		async (trusted, forwarded, reason) => {
			expect(await reasonsFor(trusted, forwarded)).toEqual([reason]);
		},
	);

	test.each(["203.0.113.7:4711", "[2001:db8::7]:443", "unknown, 203.0.113.7"])(
		"with a trusted proxy, the value %j is accepted, and nothing is logged",
		async (forwarded) => {
			expect(await reasonsFor("127.0.0.1", forwarded)).toEqual([]);
		},
	);
});
