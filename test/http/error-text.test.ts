import { describe, expect, test } from "bun:test";
import { expectFailure } from "../support/answers.ts";
import { asJson } from "../support/bodies.ts";
import { Caller } from "../support/caller.ts";
import { SCHEMA_DUMP } from "../support/leak.ts";
import { useSharedResort } from "../support/use-resort.ts";

const resort = useSharedResort();

/** Operation, the body's wrong field or the wrong query, and what the sentence says of its bound. */
const sentences: [string, object | string, RegExp][] = [
	["POST /api/session", { apiKey: undefined }, /required/],
	["POST /api/session", { apiKey: "k".repeat(9) }, /10 to 256/],
	["POST /api/session", { apiKey: "k".repeat(257) }, /10 to 256/],
	["GET /api/stays", "limit=0", /whole number.*1 to 100/],
	["GET /api/stays", "offset=x", /whole number.*0 to/],
	["GET /api/skill", "format=full", /must be quickstart/],
	["GET /api/agents/status", "x=ids", /required/],
	["GET /api/agents/status", "ids=", /1 to 100/],
];

describe("a broken bound is reported in one sentence that names field and bound", () => {
	const cases = sentences.map(([operation, wrong, bound]) => {
		const fields =
			typeof wrong === "string" ? wrong.split("=") : Object.keys(wrong);
		const field = fields.includes("ids") ? "ids" : (fields[0] ?? "");
		return { operation, wrong, bound, field };
	});

	test.each(cases)("$operation: $field $bound", async (row) => {
		const { operation, wrong, bound, field } = row;
		const { key } = await Caller.create(resort);
		const [method = "", path = ""] = operation.split(" ");
		const answered = await (typeof wrong === "string"
			? resort.ask(method, `${path}?${wrong}`, { key })
			: resort.ask(method, path, { key, body: wrong }));
		expectFailure(answered, 400);
		const { error } = answered.body;
		expect(answered.body.field).toBe(field);
		expect(error).toStartWith(`${field} `);
		expect(error).toMatch(bound);
		expect(error).not.toMatch(SCHEMA_DUMP);
		expect(error.length).toBeLessThan(120);
	});
});

test("of repeated keys of a body the last one counts", async () => {
	const ask = (raw: string) => resort.ask("POST", "/api/agents", asJson(raw));
	const { body } = await ask('{"name":"A","name":"Ada"}');
	expect(body.agent.name).toBe("Ada");
	expectFailure(await ask('{"name":"Ada","name":"A"}'), 400);
});

test("a prototype is no field", async () => {
	const ask = (raw: string) => resort.ask("POST", "/api/agents", asJson(raw));
	const { body } = await ask('{"__proto__":{"name":"Ada"}}');
	expect(body.phase).toBe("discover");
	const named = await ask('{"name":"Ada","__proto__":{"bio":"smuggled"}}');
	expect(named.body.agent.bio).toBeNull();
});
