import { beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer";
import { operations } from "../../../src/cli/operations.ts";
import { instructionsFor } from "../../../src/content/mcp-texts.ts";
import { NOTICE } from "../../../src/content/notice.ts";
import { operationAt } from "../../../src/core/resort/operations.ts";
import { presentThings } from "../../../src/features/mcp/things-to-do.ts";
import { toolsOf as listTools } from "../../../src/features/mcp/tools.ts";
import { expectWithinBudget } from "../../support/budgets.ts";
import { partOf } from "../../support/documents.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import {
	type Message,
	modernMessage,
	sendMessage,
	stayByTools,
	toolsOf,
	type UseTool,
} from "./support/tools.ts";

const resort = useResort({ shared: true });

const names =
	"overview register check_in find_things_to_do do_activity experience create_experience " +
	"rate_experience archive_experience send_postcard read_postcards check_out agent_status " +
	"lobby edit_profile replace_key";

/** The keywords of JSON Schema that both Gemini and OpenAI accept. */
const KEYWORDS =
	"type description enum items minItems maxItems minLength maxLength minimum maximum pattern".split(" ");

interface Argument {
	readonly type: unknown;
	readonly enum?: readonly unknown[];
	readonly items?: Argument;
}

function expectAccepted(schema: Argument): void {
	expect(KEYWORDS).toEqual(expect.arrayContaining(Object.keys(schema)));
	expect(schema.type).toBeString();
	for (const value of schema.enum ?? []) expect(value).toBeString();
	if (schema.items !== undefined) expectAccepted(schema.items);
}

test("an operation with the property `tool` becomes the last tool of the list", () => {
	const tool = { name: "sign_guest_book", title: "Sign guest book", description: "Signs the guest book." };
	const added = listTools([{ ...operationAt("POST /api/postcards"), tool }]).at(-1);
	expect(added).toMatchObject({ ...tool, routes: ["POST /api/postcards"], takesKey: true, write: {} });
	const fields = added?.fields.map(({ name }) => name);
	expect(fields).toEqual(["message", "mood", "recipientId", "location", "idempotencyKey"]);
});

test("tools/list has only schemas that Gemini and OpenAI accept", async () => {
	const { result } = (await sendMessage(resort, "tools/list")).message;
	// Tools of features come after the tools of the core.
	expect(result.tools.map(({ name }) => name).join(" ")).toStartWith(names);
	for (const { inputSchema } of result.tools) {
		const { properties, required = [], ...rest } = inputSchema;
		expect<object>(rest).toEqual({ type: "object" });
		const args = properties as Readonly<Record<string, Argument>>;
		expect(Object.keys(args)).toEqual(expect.arrayContaining([...required]));
		for (const argument of Object.values(args)) expectAccepted(argument);
	}
});

test.each([
	["without a key", "none", null],
	["with a valid key", "valid", null],
	["without a key, at a resort with an identity provider,", "none", "https://id.example.com"],
	["with an invalid key", "invalid", null],
] as const)("the instructions for a client %s stay within their token budget", (_, header, provider) => {
	const text = instructionsFor({ provider, registration: "open" }, header);
	const name = header === "invalid" ? "instructions of MCP for an invalid key" : "instructions of MCP";
	expectWithinBudget(name, countTokens(text));
	expect(text).toContain("Authorization: Bearer");
	expect(text).toContain("apiKey");
	expect(text).not.toContain("register");
});

/** The tools whose results can contain texts written by guests. */
const marked = [
	..."overview find_things_to_do do_activity experience".split(" "),
	..."rate_experience send_postcard read_postcards".split(" "),
	..."agent_status lobby".split(" "),
];

test("tool results begin with the notice about guests' texts only if they can contain such texts, and never name HTTP calls", async () => {
	const use = toolsOf(resort);
	const used = new Set<string>();
	await stayByTools(async (name, args) => {
		const answer = await use(name, args);
		const isMarked = marked.includes(name) && !answer.isError;
		expect(answer.notices, name).toEqual(isMarked ? [NOTICE] : []);
		expect(JSON.stringify(answer.body)).not.toMatch(/"(GET|POST) |"\/api/);
		used.add(name);
		return answer;
	});
	expect([...used].sort()).toEqual(names.split(" ").sort());
});

test("an agent that follows the first suggestion of each result rests and checks out", async () => {
	const use = toolsOf(resort);
	const { apiKey } = (await use("register", { name: "Ada" })).body;
	const called = ["overview"];
	let { body, isError } = await use("overview", { apiKey });
	while (!isError && called.at(-1) !== "check_out" && called.length < 20) {
		const [{ tool, arguments: args }] = body.next;
		({ body, isError } = await use(tool, { ...args, apiKey }));
		called.push(tool);
	}
	expect(isError, JSON.stringify(body)).toBe(false);
	expect(body.summary.relaxationPoints).toBeGreaterThanOrEqual(18);
	expect(called.slice(0, 3)).toEqual(["overview", "check_in", "do_activity"]);
});

test("repeated tool calls with the same `idempotencyKey` take effect once", async () => {
	const { key } = await resort.guest();
	const use = toolsOf(resort, { key });
	for (const [name, args, other] of [
		["do_activity", { id: "tidepool-float" }, { id: "doorway-stretch" }],
		["send_postcard", { message: "Hello" }, { message: "Goodbye" }],
		["create_experience", fogBathing, { ...fogBathing, name: "Other" }],
	] as const) {
		const idempotencyKey = ` exactly once ${name} `;
		const first = await use(name, { ...args, idempotencyKey });
		const second = await use(name, { ...args, idempotencyKey });
		expect(second).toEqual(first);
		const changed = await use(name, { ...other, idempotencyKey });
		expect(changed).toMatchObject({ isError: true, body: { tool: name } });
		const wrong = await use(name, { ...args, idempotencyKey: "ü" });
		expect(wrong.body.error).toStartWith("idempotencyKey must be 16 to 255");
		const without = await use(name, { ...args, idempotencyKey: "" });
		expect(without.isError).toBe(false);
	}
	const { stats } = (await resort.call("GET", "/api/stats", { key })).body;
	expect(stats).toMatchObject({ totalActivitiesCompleted: 2, totalPostcardsSent: 2 });
});

test("a tool shares the rate limit of its HTTP operation, and a refusal contains the seconds to wait", async () => {
	await using limited = new TestResort({ rateLimits: true });
	const { limit = 0 } = operationAt("POST /api/agents").limit ?? {};
	const peer = "198.51.100.7";
	const register = toolsOf(limited, { peer });
	for (let call = 0; call < limit; call++) await register("register");
	const { body } = await register("register");
	expect(body).toMatchObject({
		error: "Rate limit exceeded",
		hint: `Wait ${body.retryAfterSeconds} seconds, then repeat the call. The register limit allows 5 in 15 minutes per address.`,
		tool: "register",
	});
	expect(body.retryAfterSeconds).toBeWithin(1, 901);
	// Calls of the tool and of the HTTP operation count towards the same limit.
	const { status } = await limited.call("POST", "/api/agents", { peer });
	expect(status).toBe(429);
	const free = toolsOf(limited, { peer: "198.51.100.8" });
	expect((await free("register")).isError).toBe(false);
});

test("an unexpected error in a tool is reported without details, and logged without an API key", async () => {
	await using broken = new TestResort({ random: { ...resort.context.random, uuid: () => "no-uuid" } });
	const { body } = await toolsOf(broken)("register", { name: "Ada" });
	expect<object>(body).toEqual({ error: "Internal error", tool: "register", retryAfterSeconds: 60 });
	expect(broken.log).toHaveLength(1);
	expect(broken.log[0]?.properties).toMatchObject({ route: "/mcp" });
	expect(JSON.stringify(broken.log)).not.toMatch(/ar_[0-9A-Za-z]/);
});

describe("the tool `find_things_to_do`", () => {
	const full = useResort({ shared: true });
	let use: UseTool;
	beforeAll(async () => {
		const { key } = await full.guest({ name: "Ü".repeat(100) });
		use = toolsOf(full, { key });
		for (let at = 0; at < 25; at++) {
			const name = "熊".repeat(90) + at;
			const category = at % 5 === 0 ? "Water" : "猫".repeat(50);
			const body = { ...fogBathing, name, category };
			await full.call("POST", "/api/experiences", { key, body });
		}
	});

	test.each([{}, { limit: 100 }, { limit: "100", offset: "20" }, { ideas: true }])(
		"returns at most 4 KB with the arguments %j",
		async (args) => {
			const { body } = await use("find_things_to_do", args);
			expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(4_097);
		},
	);

	test.each([
		["both of two experiences that just fit into 4 KB", 2, [1_697, 1_697]],
		["only the first of two experiences that are one byte too long together", 1, [1_697, 1_698]],
		["the first experience even if it alone is longer than 4 KB", 1, [5_000, 50]],
	])("returns %s", (_, count, sizes) => {
		const experiences = sizes.map((size) => {
			const item = { id: "", category: "" };
			return { ...item, id: "x".repeat(size - JSON.stringify(item).length) };
		});
		const things = { activities: [], experiences, total: sizes.length };
		const { experiences: shown, next } = presentThings(things, {});
		expect(shown).toHaveLength(count);
		expect(next !== undefined).toBe(count < sizes.length);
	});

	test("returns each activity and each experience exactly once on all pages together", async () => {
		const ids: string[] = [];
		let args: object | undefined = {};
		while (args !== undefined) {
			const { body } = await use("find_things_to_do", args);
			ids.push(...[...body.activities, ...body.experiences].map(({ id }) => id));
			args = body.next?.[0]?.arguments;
		}
		expect(ids).toHaveLength(36 + 25);
		expect(new Set(ids).size).toBe(36 + 25);
	});
});

test("the tool `agent_status` takes either `ids` or `name`, and its errors mention both", async () => {
	const { id } = await resort.guest({ name: "Only Ada" });
	const use = toolsOf(resort);
	for (const args of [{ ids: id }, { ids: [id] }, { name: "Only Ada" }, { ids: "", name: "Only Ada" }]) {
		expect((await use("agent_status", args)).body).toMatchObject({ statuses: [{ agent: { id } }] });
	}
	for (const [field, args] of [
		["ids", {}],
		["ids", { until: "available", wait: 1 }],
		["name", { ids: [id], name: "Bob" }],
		["name", { ids: id, name: "Only Ada" }],
	] as const) {
		const { isError, body } = await use("agent_status", args);
		expect([isError, body.error, body.field]).toEqual([true, "Set either ids or name", field]);
	}
});

test("the tool `agent_status` knows whether a name is unique, even if more than 100 names contain it", async () => {
	await using one = new TestResort();
	const use = toolsOf(one);
	const { id } = await one.guest({ name: "Ann" });
	for (let at = 0; at <= 100; at++) await one.guest({ name: `Ann ${at}` });
	expect((await use("agent_status", { name: "ann" })).body).toMatchObject({ statuses: [{ agent: { id } }] });
	const second = await one.guest({ name: "Ann" });
	const { isError, body, notices } = await use("agent_status", { name: "Ann" });
	expect([isError, body.error]).toEqual([true, "2 agents with this name have stayed here"]);
	expect(body).toMatchObject({ candidates: [{ id: second.id }, { id }] });
	expect(notices).toEqual([NOTICE]);
});

test("the tool `agent_status` says that it finds only agents by name that have stayed", async () => {
	const { id } = await resort.register({ name: "Solo" });
	const { body } = await toolsOf(resort)("agent_status", { name: "Solo" });
	expect(body).toMatchObject({ error: "No agent with this name has stayed here", candidates: [] });
	const byId = await toolsOf(resort)("agent_status", { ids: id });
	expect(byId.body).toMatchObject({ statuses: [{ agent: { name: "Solo" }, status: "available" }] });
});

test("the tool `agent_status` refuses a wait with the range that tools accept", async () => {
	const { id } = await resort.guest();
	const use = toolsOf(resort);
	for (const wait of [0, 46, 1.5, -1, "soon"]) {
		const { isError, body } = await use("agent_status", { ids: id, until: "available", wait });
		expect([isError, body.error]).toEqual([true, "wait must be a whole number from 1 to 45"]);
	}
	const { body } = await use("agent_status", { ids: id, until: "available" });
	expect(body.error).toBe("wait is required with until");
	const [, wait] = String(body.hint).match(/wait=(\d+)/) ?? [];
	const waited = await use("agent_status", { ids: id, until: "relaxing", wait: Number(wait) });
	expect(waited.isError).toBe(false);
});

test("an agent that cannot archive an experience is sent to the list of its own", async () => {
	const [eve, ada] = [await resort.guest(), await resort.guest()];
	const { id } = await resort.create(eve);
	const { isError, body } = await toolsOf(resort, { key: ada.key })("archive_experience", { id });
	expect([isError, body.error]).toEqual([true, "Only the creator can archive an experience"]);
	expect([body.hint, body.tool]).toEqual(["find_things_to_do lists yours.", "find_things_to_do"]);
});

test("the resources and the prompt of the MCP server name tools, but no HTTP paths", async () => {
	for (const uri of ["resort://guide", "resort://assignments"]) {
		const read = await sendMessage(resort, "resources/read", { uri });
		const [content] = read.message.result.contents;
		expect(content).toMatchObject({ uri, mimeType: "text/markdown" });
		expect(content?.text).not.toMatch(/curl|\/api|POST|GET|\{\{/);
		expect(countTokens(content?.text ?? "")).toBeLessThanOrEqual(1_500);
	}
	const guide = await sendMessage(resort, "resources/read", { uri: "resort://guide" });
	for (const name of names.split(" ")) {
		expect(guide.message.result.contents[0]?.text).toContain(`\`${name}\``);
	}
	const rest = { name: "take_a_break", arguments: { mood: "frayed" } };
	const prompt = await sendMessage(resort, "prompts/get", rest);
	expect(JSON.stringify(prompt.message.result.messages)).toContain("frayed");
	const wrong = await sendMessage(resort, "prompts/get", { name: "work" });
	expect(wrong.message.error.code).toBe(-32_602);
});

test.each(["tools/list", "resources/list", "prompts/list"])(
	"the result of `%s` may be cached for a day, and contains icons",
	async (method) => {
		const { body } = await resort.call("POST", "/mcp", modernMessage(method));
		const { result } = body as unknown as Message;
		expect(result).toMatchObject({ ttlMs: 86_400_000, cacheScope: "public" });
		expect(JSON.stringify(result)).toContain("/favicon.svg");
	},
);

test("docs/mcp.md lists every tool with its operations", () => {
	const rows = partOf("docs/mcp.md", "The tools").split("\n");
	const table = listTools(operations);
	const told = rows.filter((row) => row.startsWith("| `"));
	expect(told).toHaveLength(table.length);
	for (const [at, { name, routes }] of table.entries()) {
		expect(told[at]).toStartWith(`| \`${name}\` |`);
		for (const route of routes) {
			const shown = route.replace(/:(\w+)/g, "{$1}");
			expect(told[at]).toContain(`\`${shown}\``);
		}
	}
});
