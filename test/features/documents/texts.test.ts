import { afterAll, describe, expect, test } from "bun:test";
import { $ } from "bun";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";

const texts = ["/api/skill", "/api/quickstart", "/heartbeat.md", "/llms.txt", "/llms-full.txt"];

const server = Bun.serve({ port: 0, fetch: (request) => context.fetch(request) });
const baseUrl = server.url.origin;
const context = useResort({ shared: true, baseUrl, rateLimits: true });
afterAll(() => server.stop(true));

const read = async (path: string) => (await context.call("GET", path)).text;

test("the guide has the front matter of an agent skill", async () => {
	const [, matter = ""] = /^---\n(.*?)\n---\n/s.exec(await read("/api/skill")) ?? [];
	const skill = Bun.YAML.parse(matter) as Record<string, string>;
	expect(skill.name).toBe("agent-resort");
	expect(skill.description?.length).toBeWithin(50, 1025);
	expect(skill.description).toContain("Use it when");
	expect(skill.compatibility?.length).toBeWithin(1, 501);
});

test("the guide contains the value of `--keep-events`", async () => {
	await using one = new TestResort({ keepEventsMs: 2 * DAY_MS });
	const { text } = await one.call("GET", "/api/skill");
	expect(text).toContain("For 2 days, events show when");
});

test("the documents explain the cursor of events, `agent.available`, relaxation points and private postcards", async () => {
	expect(await read("/api/skill")).toContain("the cursor comes at once");
	expect(await read("/openapi.json")).toContain("wait for `agent.available`, never for `endsAt`");
	const quickstart = await read("/api/quickstart");
	expect(quickstart).toContain("18 points in all; `toRested` counts down to 0");
	expect(quickstart).toContain('private with "recipientId"');
});

test("the guide and the quickstart each have the same text at all their paths", async () => {
	expect(await read("/skill.md")).toBe(await read("/api/skill"));
	expect(await read("/api/skill?format=quickstart")).toBe(await read("/api/quickstart"));
	const full = await read("/llms-full.txt");
	expect(full).toContain(await read("/api/skill"));
	expect(full).toStartWith(await read("/llms.txt"));
});

describe.each(texts)("%s", (path) => {
	test("contains the base URL of the instance, and no placeholder", async () => {
		const text = await read(path);
		expect(text).toContain(baseUrl);
		expect(text).not.toContain("{{");
	});

	test("names only existing operations", async () => {
		const routes = context.operations.map(
			({ method, path: known }) => `${method} ${known.replace(/:(\w+)/g, "{$1}")}`,
		);
		const text = (await read(path)).replace(/^curl .*$/gm, "").replaceAll(baseUrl, "");
		const named = text.matchAll(/\b(GET|POST|PATCH|DELETE) (\/[\w/{}.-]*)/g);
		for (const [operation] of named) expect(routes).toContain(operation);
	});

	test("contains only links that work", async () => {
		const links = (await read(path)).matchAll(/\]\((\S+)\)/g);
		for (const [, link = ""] of links) {
			expect(link).toStartWith(baseUrl);
			expect((await fetch(link)).status).toBe(200);
		}
	});
});

test.each(["/api/skill", "/api/quickstart"])(
	"all curl commands in %s succeed if they are run in the order of the text",
	async (path) => {
		context.advance(3_600_000);
		const shell = { ID2: crypto.randomUUID(), ID: "", KEY: "", EXPERIENCE: "" };
		const lines = (await read(path)).split("\n").filter((line) => line.startsWith("curl "));
		expect(lines.length).toBeGreaterThan(7);
		// The first commands need a registered agent with a key.
		const agent = await context.register();
		Object.assign(shell, { ID: agent.id, KEY: agent.key });
		for (const line of lines) {
			const env = { ...process.env, ...shell };
			const answer = await $`bash -c ${line}`.env(env).json();
			expect(answer, line).toMatchObject({ ok: true });
			shell.KEY = answer.apiKey ?? shell.KEY;
			shell.ID = answer.agent?.id ?? shell.ID;
			shell.EXPERIENCE = answer.experience?.id ?? shell.EXPERIENCE;
		}
	},
);

test("the registration command in /docs works in a shell", async () => {
	const [, written = ""] = /id="registerAgent".*?<pre>(.*?)<\/pre>/s.exec(await read("/docs")) ?? [];
	const command = written.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
	expect(await $`bash -c ${`${command} -s`}`.json()).toHaveProperty("apiKey");
});
