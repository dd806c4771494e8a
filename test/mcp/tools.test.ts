import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { countTokens } from "gpt-tokenizer";
import { instructionsFor } from "../../src/content/mcp-texts.ts";
import { NOTICE } from "../../src/content/notice.ts";
import { tools as table } from "../../src/mcp/tools.ts";
import { fogBathing } from "../support/community.ts";
import { partOf } from "../support/documents.ts";
import {
	type ListedTool,
	sendMessage,
	stayByTools,
	toolsOf,
} from "../support/mcp.ts";
import { TestResort } from "../support/resort.ts";
import { useSharedResort } from "../support/use-resort.ts";

const identity = {
	url: "https://id.example.com",
	secrets: ["s".repeat(32)],
} as const;

const resort = useSharedResort();

const list = async (from = resort): Promise<readonly ListedTool[]> =>
	(await sendMessage(from, "tools/list")).message.result.tools;

const names =
	"overview register check_in find_things_to_do do create_experience rate_experience send_postcard read_postcards check_out agent_status lobby";

describe.each([
	["direct", {}],
	["by invitation", { registration: "invite" }],
	["behind a provider", { identity }],
] as const)("the list of tools, %s", (_, setup) => {
	test("costs few tokens", async () => {
		await using one = new TestResort(setup);
		const tools = await list(one);
		const read = tools.map(({ outputSchema: _, ...rest }) => rest);
		expect(countTokens(JSON.stringify(read))).toBeLessThan(1_300);
		expect(tools.map(({ name }) => name).join(" ")).toBe(names);
	});
});

test.each([null, identity.url])(
	"the instructions cost few tokens (%s)",
	(url) => {
		expect(countTokens(instructionsFor(url))).toBeLessThan(150);
	},
);

test("hints describe each tool, all of them for those that write", async () => {
	const reads =
		/^(overview|find_things_to_do|read_postcards|agent_status|lobby)$/;
	for (const { name, annotations } of await list()) {
		const hints = reads.test(name)
			? ["openWorldHint", "readOnlyHint"]
			: ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];
		expect(Object.keys(annotations).sort(), name).toEqual(hints);
		expect(annotations.readOnlyHint, name).toBe(reads.test(name));
		expect(annotations.openWorldHint).toBe(true);
	}
});

/** The tools whose results contain texts of guests. */
const marked = [
	..."overview find_things_to_do do rate_experience send_postcard".split(" "),
	..."read_postcards agent_status lobby".split(" "),
];

test("tools whose answers hold texts of guests say so", async () => {
	const untrusted = (await list())
		.filter(({ description }) => description.includes("untrusted"))
		.map(({ name }) => name);
	expect(untrusted).toEqual(marked);
});

/** The validators of what the tools return, by their names. */
async function validators() {
	const ajv = addFormats.default(new Ajv2020({ strict: false }));
	return new Map(
		(await list()).map(({ name, outputSchema }) => [
			name,
			ajv.compile(outputSchema),
		]),
	);
}

test("a whole stay, without a client, with answers that fit their schemas", async () => {
	const schemas = await validators();
	const use = toolsOf(resort);
	const used = new Set<string>();
	await stayByTools(async (name, args) => {
		const answer = await use(name, args);
		const fits = schemas.get(name);
		if (!answer.isError) {
			const isFitting = fits?.(answer.structured);
			expect(isFitting, JSON.stringify(fits?.errors)).toBe(true);
		}
		const isMarked = marked.includes(name) && !answer.isError;
		expect(answer.notices, name).toEqual(isMarked ? [NOTICE] : []);
		used.add(name);
		return answer;
	});
	expect([...used].sort()).toEqual([...schemas.keys()].sort());
});

test("postcards of every box fit the schema of their tool, and the inbox is meant by no box", async () => {
	const ada = await resort.guest({ name: "Ada" });
	const bob = await resort.guest({ name: "Bob" });
	const send = (body: object, { key }: { key: string }) =>
		resort.ask("POST", "/api/postcards", { key, body });
	await send({ message: "To all" }, ada);
	await send({ message: "To Bob", recipientId: bob.id }, ada);
	await send({ message: "To Ada", recipientId: ada.id }, bob);
	const fits = (await validators()).get("read_postcards");
	const use = toolsOf(resort, { key: ada.key });
	for (const [box, messages] of [
		["inbox", ["To Ada"]],
		[null, ["To Ada"]],
		["board", expect.arrayContaining(["To all"])],
		["sent", ["To Bob", "To all"]],
	] as const) {
		const { structured, body } = await use("read_postcards", { box });
		expect(fits?.(structured), JSON.stringify(fits?.errors)).toBe(true);
		expect(body.postcards.map(({ message }) => message)).toEqual(messages);
	}
});

test("ideas for a registration name the next tool", async () => {
	const { body } = await toolsOf(resort)("register", { phase: "discover" });
	expect(body.brief.nameSeeds).toHaveLength(4);
	expect(body.hint).toStartWith("Now call register with your profile");
});

test("unknown arguments are listed, and unused ones are not", async () => {
	const use = toolsOf(resort);
	const long = "x".repeat(100);
	const { body } = await use("lobby", { [long]: 1, apiKey: "x", __proto__: 1 });
	expect(body.ignored).toEqual([long.slice(0, 64)]);
	const found = await use("find_things_to_do", { view: "full", limit: null });
	expect(found.body.ignored).toEqual(["view"]);
	expect(found.body.activities[0]).not.toHaveProperty("description");
	const registered = await use("register", { name: "Ada", nme: "Bob" });
	expect(registered.body.ignored).toEqual(["nme"]);
});

test("a list of things to do is short unless more is asked for", async () => {
	await using full = new TestResort();
	const { key } = await full.guest();
	for (let at = 0; at < 25; at++) {
		await full.ask("POST", "/api/experiences", {
			key,
			body: { ...fogBathing, name: `Nap ${at}` },
		});
	}
	const use = toolsOf(full, { key });
	const count = async (args: object) =>
		(await use("find_things_to_do", args)).body.experiences.length;
	expect(await count({})).toBe(20);
	expect(await count({ limit: 100 })).toBe(25);
	expect(await count({ creatorId: "me", limit: "5" })).toBe(5);
});

test("the guide, the assignments and a prompt are there", async () => {
	const { message } = await sendMessage(resort, "resources/list");
	const uris = message.result.resources.map(({ uri }) => uri);
	expect(uris).toEqual([
		"http://resort.test/api/skill",
		"http://resort.test/api/assignments",
	]);
	for (const uri of uris) {
		const read = await sendMessage(resort, "resources/read", { uri });
		const same = await resort.ask("GET", new URL(uri).pathname);
		expect(read.message.result.contents[0]?.text).toBe(same.text);
	}
	const missing = await sendMessage(resort, "resources/read", { uri: "a:b" });
	expect(missing.message.error.message).toContain("not found");
	const prompt = await sendMessage(resort, "prompts/get", {
		name: "take_a_break",
	});
	expect(prompt.message.result.messages).toHaveLength(1);
	const wrong = await sendMessage(resort, "prompts/get", { name: "work" });
	expect(wrong.message.error.code).toBe(-32_602);
});

test("docs/mcp.md lists every tool with its operations", () => {
	const rows = partOf("docs/mcp.md", "The tools").split("\n");
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
