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
		expect(stderr).toContain("anyone who can reach it can reset");
	},
);

test.each([
	[{ host: "resort" }, 200],
	[{ host: "RESORT:3000" }, 200],
	[{ host: "ci.test:80" }, 200],
	[{ host: "[::2]:80" }, 200],
	[{ host: "localhost", origin: "http://localhost" }, 200],
	[{ host: "LOCALHOST:80" }, 200],
	[{ host: "[::1]:80", origin: "http://[::1]:80" }, 200],
	[{ host: "127.1.2.3" }, 200],
	[{ host: "resort", origin: "http://resort" }, 200],
	[{ host: "evil.test" }, 403],
	[{ host: "evil.test", origin: "http://evil.test" }, 403],
	[{ host: "resort.evil.test" }, 403],
	[{ host: "0.0.0.0" }, 403],
	[{ host: "resort", origin: "http://evil.test" }, 403],
	[{ host: "resort", origin: "null" }, 403],
	[{ host: "resort", "sec-fetch-site": "cross-site" }, 403],
])("GET /test/state with %j is %i", async (headers, status) => {
	const { port } = new URL(resort.url);
	const url = `http://127.0.0.1:${port}/test/state`;
	expect((await fetch(url, { headers })).status).toBe(status);
});
