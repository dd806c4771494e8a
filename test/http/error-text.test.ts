import { describe, expect, test } from "bun:test";
import { asJson } from "../support/bodies.ts";
import { Caller } from "../support/caller.ts";
import { expectFailure } from "../support/failure.ts";
import { SCHEMA_DUMP } from "../support/leak.ts";
import { useSharedResort } from "../support/use-resort.ts";

const resort = useSharedResort();

/** Operation, the body's wrong field or the wrong query, and what the sentence says of its bound. */
const sentences: [string, object | string, RegExp][] = [
	["POST /api/agents", { name: "A" }, /2 to 100/],
	["POST /api/agents", { name: " A " }, /2 to 100/],
	["POST /api/agents", { name: "n".repeat(101) }, /2 to 100/],
	["POST /api/agents", { name: 7 }, /string/],
	["POST /api/agents", { name: null }, /string/],
	["POST /api/agents", { name: "N\0" }, /NUL/],
	["POST /api/agents", { bio: "b".repeat(501) }, /at most 500/],
	["POST /api/agents", { interests: "chess" }, /list.*10/],
	["POST /api/agents", { interests: Array(11).fill("i") }, /at most 10/],
	["POST /api/agents", { interests: ["i".repeat(51)] }, /at most 50/],
	["POST /api/agents", { interests: ["a", 5] }, /string/],
	["POST /api/agents", { avatarUrl: "http://a.test" }, /https/],
	[
		"POST /api/agents",
		{ avatarUrl: `https://a.test/${"a".repeat(500)}` },
		/500/,
	],
	["POST /api/agents", { roomPreference: {} }, /string/],
	["POST /api/session", { apiKey: undefined }, /required/],
	["POST /api/session", { apiKey: "k".repeat(9) }, /10 to 256/],
	["POST /api/session", { apiKey: "k".repeat(257) }, /10 to 256/],
	["PATCH /api/me", { name: null }, /string/],
	["PATCH /api/me", { bio: "b".repeat(501) }, /at most 500/],
	["PATCH /api/me", { interests: null }, /list/],
	["POST /api/checkin", { moodOnArrival: "m".repeat(301) }, /at most 300/],
	["POST /api/checkin", { moodOnArrival: 3 }, /string/],
	["POST /api/checkout", { moodOnDeparture: "m".repeat(301) }, /at most 300/],
	["POST /api/activities/x/do", { notes: "n".repeat(501) }, /at most 500/],
	["GET /api/stays", "limit=0", /whole number.*1 to 100/],
	["GET /api/stays", "offset=x", /whole number.*0 to/],
	["GET /api/skill", "format=full", /must be quickstart/],
	["GET /api/agents/status", "x=ids", /required/],
	["GET /api/agents/status", "ids=", /1 to 100/],
];

describe("a broken bound is told in one sentence that names field and bound", () => {
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
		const name = path === "/api/agents" ? { name: "Ada" } : {};
		const answered = await (typeof wrong === "string"
			? resort.ask(method, `${path}?${wrong}`, { key })
			: resort.ask(method, path, { key, body: { ...name, ...wrong } }));
		expectFailure(answered, 400);
		const { error } = answered.body;
		expect(answered.body.field).toBe(field);
		expect(error).toStartWith(`${field} `);
		expect(error).toMatch(bound);
		expect(error).not.toMatch(SCHEMA_DUMP);
		expect(error.length).toBeLessThan(120);
	});
});

test("the sentence of the decisions is word for word", async () => {
	const { body } = await resort.ask("POST", "/api/agents", {
		body: { name: "A" },
	});
	expect(body).toEqual({
		error: "name must be 2 to 100 characters",
		field: "name",
	} as typeof body);
});

test("a profile change without a known field names those there are", async () => {
	const { key } = await Caller.create(resort);
	const answered = await resort.ask("PATCH", "/api/me", {
		key,
		body: { nickname: "Ada" },
	});
	expectFailure(answered, 400);
	for (const field of ["name", "bio", "interests", "roomPreference"]) {
		expect(answered.body.error).toContain(field);
	}
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
