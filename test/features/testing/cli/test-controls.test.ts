import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { useServer } from "../../../support/use-resort.ts";
import { house, keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();
const place = { cwd: folder.path };
const key = keyOf("a");
const operations = [
	["POST", "/test/reset"],
	["POST", "/test/clock"],
	["GET", "/test/state"],
] as const;
folder.write(JSON.stringify(house()), "house.json");
const resort = useServer(
	["--ephemeral", "--test-controls", "--rate-limits", "on", "--fixtures", "house.json"],
	place,
	({ exitCode, stderr }) => {
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(/"WARN[^\n]*test controls/);
	},
);

const call = (method: string, path: string, body?: object) => resort.call(method, path, { key, body });

describe("the test controls", () => {
	test("restore fixtures, rate limits and the clock on POST /test/reset", async () => {
		expect((await call("POST", "/test/reset")).body).toMatchObject({ agents: 2, guests: 1 });
		await call("POST", "/test/clock", { now: "2030-01-01T00:00:00Z" });
		for (let at = 0; at < 5; at++) await call("POST", "/api/checkin");
		expect((await call("POST", "/api/checkin")).status).toBe(429);
		await call("POST", "/api/checkout");
		await call("POST", "/api/agents", { name: "Eve" });
		expect((await call("GET", "/test/state")).body).toMatchObject({ ok: true, agents: 3, guests: 0 });
		const { body: reset } = await call("POST", "/test/reset");
		expect(reset).toMatchObject({ agents: 2, guests: 1 });
		expect(Math.abs(Date.parse(reset.now) - Date.now())).toBeLessThan(60_000);
		expect((await call("GET", "/api/stats")).body.stats.totalStays).toBe(1);
		expect((await call("POST", "/api/checkout")).status).toBe(200);
	});

	test.each([
		["Origin has another port", { origin: "http://127.0.0.1:1" }],
		["Host is a domain that begins with a loopback address", { host: "127.0.0.1.evil.test" }],
		["Host is not a loopback address", { host: "[::2]" }],
	])("return 403 without a CORS header, and change nothing, if %s", async (_, headers) => {
		await call("POST", "/api/agents", { name: "Eve" });
		const before = await call("GET", "/test/state");
		for (const [method, path] of operations) {
			const answer = await fetch(resort.url + path, { method, headers });
			expect(answer.status).toBe(403);
			expect(answer.headers.get("access-control-allow-origin")).toBeNull();
			expect(await answer.json()).toMatchObject({ error: "Cross-origin request refused" });
		}
		expect((await call("GET", "/test/state")).body.agents).toBe(before.body.agents);
	});

	const now = "2030-01-01T00:00:00Z";
	test.each<[what: string, body: object]>([
		["an empty body", {}],
		["a text as `frozen`", { frozen: "yes" }],
		["both `advanceSeconds` and `now`, even with `frozen`", { frozen: true, advanceSeconds: 1, now }],
		["both `advanceSeconds` and `now`", { advanceSeconds: 1, now }],
		["`advanceSeconds` 0", { advanceSeconds: 0 }],
		["a word as `now`", { now: "soon" }],
		["a `now` after the latest time", { now: "9990-01-01T00:00:00.001Z" }],
	])("refuse POST /test/clock with %s", async (_, body) => {
		const refused = await call("POST", "/test/clock", body);
		expect(refused.status).toBe(400);
		// To record the snapshot again, add --update-snapshots.
		expect(refused.body).toMatchSnapshot();
	});

	test.each(["POST /test/rest", "GET /test/reset", "GET /test/"])(
		"return 404 for the unknown call %s, with a hint that lists all test controls",
		async (line) => {
			const [method = "", path = ""] = line.split(" ");
			const answer = await call(method, path);
			expect(answer.status).toBe(404);
			// To record the snapshot again, add --update-snapshots.
			expect(answer.body).toMatchSnapshot();
		},
	);

	test.each([
		["an ephemeral resort", ["--ephemeral"]],
		["a permanent resort", ["--port", "0"]],
	])("return 404 at %s without `--test-controls`", async (_, flags) => {
		const plain = await folder.serve(flags);
		for (const [method, path] of operations) {
			const answer = await plain.call(method, path);
			expect(answer.status).toBe(404);
			expect(answer.body).toMatchSnapshot();
		}
		expect((await plain.call("GET", "/openapi.json")).text).not.toContain("/test/");
		expect((await plain.stop()).stderr).not.toContain("test controls");
	});
});

const named = useServer(
	["--ephemeral", "--host", "0.0.0.0", "--test-controls", "--test-hosts", "Resort, ::2,ci.test"],
	place,
	({ stderr }) => {
		expect(stderr).toContain("anyone who can reach this instance can reset");
	},
);

test.each([
	[200, "Host is resort", { host: "resort" }],
	[200, "Host is RESORT:3000", { host: "RESORT:3000" }],
	[200, "Host is [::2]:80", { host: "[::2]:80" }],
	[200, "Host and Origin are localhost", { host: "localhost", origin: "http://localhost" }],
	[200, "Host and Origin are [::1]:80", { host: "[::1]:80", origin: "http://[::1]:80" }],
	[200, "Host is 127.1.2.3", { host: "127.1.2.3" }],
	[200, "Host and Origin are resort", { host: "resort", origin: "http://resort" }],
	[403, "Host is resort.evil.test", { host: "resort.evil.test" }],
	[403, "Host is 0.0.0.0", { host: "0.0.0.0" }],
	[403, "Origin is evil.test", { host: "resort", origin: "http://evil.test" }],
	[403, "Origin is null", { host: "resort", origin: "null" }],
	[403, "Sec-Fetch-Site is cross-site", { host: "resort", "sec-fetch-site": "cross-site" }],
])('--test-hosts "Resort, ::2,ci.test" makes GET /test/state return %i if %s', async (status, _, headers) => {
	const url = `http://127.0.0.1:${named.port}/test/state`;
	expect((await fetch(url, { headers })).status).toBe(status);
});

test.each([
	["`--now`", ["--now", "9990-01-01T00:00:00Z"], []],
	["POST /test/clock", [], [{ now: "9990-01-01T00:00:00Z" }]],
])(
	"at the latest time, set by %s, stays of the longest `--max-stay` and sessions can be read",
	async (_, flags, bodies) => {
		const always = ["--ephemeral", "--test-controls", "--frozen", "--max-stay", "87600"];
		const late = await folder.serve([...always, ...flags]);
		for (const body of bodies) await late.send("POST", "/test/clock", { body });
		expect((await late.call("POST", "/test/clock", { body: { advanceSeconds: 1 } })).status).toBe(400);
		const { id, key } = await late.guest();
		expect((await late.send("GET", `/api/agents/${id}/status`)).stay.endsBy).toBe("9999-12-30T00:00:00.000Z");
		await late.send("POST", "/api/session", { body: { apiKey: key } });
		expect((await late.send("GET", "/api/sessions", { key })).sessions).toHaveLength(1);
		await late.stop();
	},
);
