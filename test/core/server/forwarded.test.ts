import { expect, test } from "bun:test";
import { resortAt } from "../../support/calls.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { linesOf, logOf } from "./log-of.ts";

const folder = useTemporaryFolder();

const MESSAGE = "X-Forwarded-For ignored: limits count all clients of its sender as one";

/** Registers an agent with each value of X-Forwarded-For. Returns the logged reasons why values were ignored. */
async function reasonsFor(trusted: string, values: readonly string[]): Promise<unknown[]> {
	const flags = ["--rate-limits", "on", "--trusted-proxies", trusted];
	const { stderr } = await logOf(folder, flags, async (url) => {
		for (const value of values) {
			const headers = { "x-forwarded-for": value };
			await resortAt(url).send("POST", "/api/agents", { headers, body: { name: "Ada" } });
		}
	});
	return linesOf(stderr, MESSAGE).map(({ reason }) => reason);
}

test.each([
	["127.0.0.1", "unknown, 127.0.0.1", "an entry is not an address"],
	["10.0.0.1", "203.0.113.7", "127.0.0.1 is not in --trusted-proxies"],
])(
	"an instance with `--trusted-proxies %s` that ignores `X-Forwarded-For: %s` logs only once why: %s",
	async (trusted, value, reason) => {
		expect(await reasonsFor(trusted, Array(3).fill(value))).toEqual([reason]);
	},
);

test("valid values of X-Forwarded-For from a trusted proxy are accepted, and nothing is logged", async () => {
	const values = ["203.0.113.7:4711", "[2001:db8::7]:443", "unknown, 203.0.113.7"];
	expect(await reasonsFor("127.0.0.1", values)).toEqual([]);
});
