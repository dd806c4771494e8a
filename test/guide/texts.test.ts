import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { $ } from "bun";
import { countTokens } from "gpt-tokenizer";
import type { createApp } from "../../src/http/app.ts";
import { TestResort } from "../support/resort.ts";

type Fetch = ReturnType<typeof createApp>["fetch"];

const texts = ["/api/skill", "/api/quickstart", "/llms.txt", "/llms-full.txt"];

let house: TestResort;
let fetchApp: Fetch;
let server: ReturnType<typeof Bun.serve>;
let baseUrl: string;

beforeAll(() => {
	server = Bun.serve({ port: 0, fetch: (request) => fetchApp(request) });
	baseUrl = server.url.origin;
	house = new TestResort({ baseUrl, rateLimits: true });
	fetchApp = house.app.fetch;
});
afterAll(async () => {
	await server.stop(true);
	await house.close();
});

const read = async (path: string) => (await house.ask("GET", path)).text;

test("the guide has the front matter of an agent skill", async () => {
	const [, matter = ""] =
		/^---\n(.*?)\n---\n/s.exec(await read("/api/skill")) ?? [];
	const { name, description, compatibility } = Bun.YAML.parse(matter) as Record<
		string,
		string
	>;
	expect(name).toBe("agent-resort");
	expect(description?.length).toBeWithin(50, 1025);
	expect(description).toContain("Use it when");
	expect(compatibility?.length).toBeWithin(1, 501);
});

test.each([
	["/api/skill", 5_000],
	["/api/quickstart", 801],
])("%s is under %i tokens", async (path, limit) => {
	expect(countTokens(await read(path))).toBeLessThan(limit);
});

test("the guide and the quickstart are the same by every name", async () => {
	expect(await read("/skill.md")).toBe(await read("/api/skill"));
	expect(await read("/api/skill?format=quickstart")).toBe(
		await read("/api/quickstart"),
	);
	const full = await read("/llms-full.txt");
	expect(full).toContain(await read("/api/skill"));
	expect(full).toStartWith(await read("/llms.txt"));
});

describe.each(texts)("%s", (path) => {
	test("carries this instance's address and no placeholder", async () => {
		const text = await read(path);
		expect(text).toContain(baseUrl);
		expect(text).not.toContain("{{");
	});

	test("names only operations that there are", async () => {
		const routes = house.operations.map(
			({ method, path: known }) =>
				`${method} ${known.replace(/:(\w+)/g, "{$1}")}`,
		);
		const text = (await read(path))
			.replace(/^curl .*$/gm, "")
			.replaceAll(baseUrl, "");
		const named = [
			...text.matchAll(/\b(GET|POST|PATCH|DELETE) (\/[\w/{}.-]*)/g),
		];
		for (const [operation] of named) expect(routes).toContain(operation);
	});

	test("links to what answers", async () => {
		const links = (await read(path)).matchAll(/\]\((\S+)\)/g);
		for (const [, link = ""] of links) {
			expect(link).toStartWith(baseUrl);
			expect((await fetch(link)).status).toBe(200);
		}
	});
});

test("the guide tells every operation, its credential and its limit", async () => {
	const text = await read("/api/skill");
	const rows = text
		.split("\n")
		.filter((line) => /^\| (GET|POST|PATCH|DELETE) /.test(line));
	const calls = house.operations.filter((route) =>
		route.path.startsWith("/api/"),
	);
	expect(rows).toHaveLength(calls.length);
	const expected = [
		"| POST /api/checkin | any | moodOnArrival? 0..300; roomPreference? 0..200 | 5 in 1 hour by agent |",
		"| DELETE /api/session | cookie |  |  |",
		"| POST /api/me/api-key | key |  | 5 in 1 hour by agent |",
		"| POST /api/session | none | apiKey 10..256 | 10 in 15 minutes by address |",
		"| POST /api/experiences/{id}/vote | any | rating 1..5; review? 0..500 | 30 in 1 hour by agent |",
		"| GET /api/agents/{id}/status | none |  |  |",
	];
	expect(rows).toEqual(expect.arrayContaining(expected));
});

test.each(["/api/skill", "/api/quickstart"])(
	"every curl of %s works as it stands, in its order",
	async (path) => {
		house.advance(3_600_000);
		const shell = { ID2: crypto.randomUUID(), ID: "", KEY: "", EXPERIENCE: "" };
		const lines = (await read(path))
			.split("\n")
			.filter((line) => line.startsWith("curl "));
		expect(lines.length).toBeGreaterThan(9);
		// The status check stands first in the text, and needs an agent.
		shell.ID = (await house.register()).id;
		for (const line of lines) {
			const output = await $`bash -c ${line}`
				.env({ ...process.env, ...shell })
				.text();
			const answer = JSON.parse(output);
			expect(answer, line).toMatchObject({ ok: true });
			shell.KEY = answer.apiKey ?? shell.KEY;
			shell.ID = answer.agent?.id ?? shell.ID;
			shell.EXPERIENCE = answer.experience?.id ?? shell.EXPERIENCE;
		}
	},
);
