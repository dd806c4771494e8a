import { expect, test } from "bun:test";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;
const flags = ["--test-controls", "--test-hosts", "Resort, ::2,ci.test"];
const resort = useServing(
	["--ephemeral", "--host", "0.0.0.0", ...flags],
	{ cwd },
	({ stderr }) => {
		expect(stderr).toContain("anyone who reaches it may reset");
	},
);

async function statusFor(headers: Record<string, string>): Promise<number> {
	const { port } = new URL(resort.url);
	const url = `http://127.0.0.1:${port}/test/state`;
	return (await fetch(url, { headers })).status;
}

test.each([
	{ host: "resort" },
	{ host: "RESORT:3000" },
	{ host: "ci.test:80" },
	{ host: "[::2]:80" },
	{ host: "localhost" },
	{ host: "resort", origin: "http://resort" },
])("%j may use the controls", async (headers) => {
	expect(await statusFor(headers)).toBe(200);
});

test.each([
	{ host: "evil.test" },
	{ host: "evil.test", origin: "http://evil.test" },
	{ host: "resort.evil.test" },
	{ host: "0.0.0.0" },
	{ host: "resort", origin: "http://evil.test" },
	{ host: "resort", origin: "null" },
	{ host: "resort", "sec-fetch-site": "cross-site" },
])("%j may not", async (headers) => {
	expect(await statusFor(headers)).toBe(403);
});
