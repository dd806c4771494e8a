import { beforeAll, expect, test } from "bun:test";
import { limits } from "../../src/resort/limits.ts";
import { fogBathing } from "../support/community.ts";
import { numbersTo, uuidOf } from "../support/engine.ts";
import { sendMessage, toolsOf, type UseTool } from "../support/mcp.ts";
import { type Registered, TestResort } from "../support/resort.ts";
import { until } from "../support/until.ts";
import { useSharedResort } from "../support/use-resort.ts";

const resort = useSharedResort({ rateLimits: true });
let agent: Registered;
let use: UseTool;
beforeAll(async () => {
	agent = await resort.register();
	use = toolsOf(resort, { key: agent.key });
});

const nested = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
const longId = "x".repeat(20_000);

test.each([
	["do", { id: "tidepool-float" }, "Not checked in", "check_in"],
	["send_postcard", { message: "Hi" }, "Not checked in", "check_in"],
	[
		"send_postcard",
		{ message: "Hi", recipientId: "Ada" },
		"recipientId must be an agent's id (a UUID, as in lobby)",
		"send",
	],
	["check_out", {}, "Not checked in", "overview"],
	["do", { id: "nothing" }, "Activity not found", "find_things_to_do"],
	["do", { id: longId }, "Activity not found", "find_things_to_do"],
	["do", { id: "exp-1" }, "Experience not found", "find_things_to_do"],
	["do", { id: " EXP-1" }, "Experience not found", "find_things_to_do"],
	["do", {}, "id is required", "do"],
	["do", { id: nested }, "id is required", "do"],
	["do", { id: { a: [] } }, "id is required", "do"],
	["do", { id: { toString: 1, valueOf: 1 } }, "id is required", "do"],
	["rate_experience", { id: "exp-1", rating: 9 }, "rating must be", "rate"],
	["check_in", { moodOnArrival: 5 }, "moodOnArrival must be", "check_in"],
	["agent_status", {}, "ids is required", "agent_status"],
	["agent_status", { ids: "x", wait: 5 }, "until is required", "agent_status"],
	["agent_status", { ids: "x", wait: 61 }, "wait must be", "agent_status"],
	["read_postcards", { box: "bin" }, "box must be one of", "read_postcards"],
	["read_postcards", { box: { toString: 1 } }, "box must be", "read_postcards"],
	["read_postcards", { limit: [[[1]]] }, "limit must be", "read_postcards"],
	["find_things_to_do", { sort: "best" }, "sort must be", "find_things_to_do"],
] as const)("%s %j: %s", async (name, args, error, tool) => {
	const { isError, body } = await use(name, args);
	expect(isError).toBe(true);
	expect(body.error).toStartWith(error);
	expect(body.tool).toStartWith(tool);
	const isBound = /must be|required/.test(error);
	expect(body.field !== undefined).toBe(isBound);
	if (!isBound) expect(body.hint).toContain(tool);
});

test("a second check-in, a vote too early and an unknown recipient name a tool", async () => {
	await resort.ask("POST", "/api/checkin", { key: agent.key });
	expect((await use("check_in")).body).toMatchObject({
		error: "Already checked in",
		tool: "overview",
	});
	const other = await resort.guest();
	const { body } = await resort.ask("POST", "/api/experiences", {
		key: other.key,
		body: fogBathing,
	});
	const { id } = body.experience;
	const vote = await use("rate_experience", { id, rating: 5 });
	expect(vote.body).toMatchObject({ hint: "Call do first.", tool: "do" });
	const toNobody = { message: "Hi", recipientId: crypto.randomUUID() };
	const card = await use("send_postcard", toNobody);
	expect(card.body.tool).toMatch(/^(lobby|send_postcard)$/);
	expect(card.body.hint).toContain("lobby contains those of guests");
	await resort.ask("POST", "/api/checkout", { key: agent.key });
});

test("a key that is missing, wrong or empty is a refusal like any other", async () => {
	for (const ask of [{}, { key: "" }, { key: "ar_x" }, { session: "x" }]) {
		const params = { name: "overview" };
		const called = await sendMessage(resort, "tools/call", params, ask);
		const { status, message } = called;
		expect(status).toBe(200);
		expect(message.result.isError).toBe(true);
		expect(JSON.parse(message.result.content[0]?.text ?? "")).toMatchObject({
			error: "Unauthorized",
			hint: expect.stringContaining("argument apiKey"),
			tool: "register",
		});
	}
});

test("the key of the header wins, and a session is no credential here", async () => {
	const other = await resort.register({ name: "Bob" });
	const { body } = await use("overview", { apiKey: other.key });
	expect(body.agent.id).toBe(agent.id);
	const wrong = toolsOf(resort, { key: "ar_wrong" });
	expect((await wrong("overview", { apiKey: other.key })).isError).toBe(true);
	const session = await resort.login(other.key);
	const page = toolsOf(resort, { session });
	expect((await page("overview")).isError).toBe(true);
	const basic = { headers: { authorization: "Basic YQ==" } };
	const given = await toolsOf(resort, basic)("overview", { apiKey: other.key });
	expect(given.body.agent.id).toBe(other.id);
});

test("the limit is that of the operation, and its refusal contains the seconds", async () => {
	const { limit } = limits.register;
	const peer = "198.51.100.7";
	const register = toolsOf(resort, { peer });
	for (let call = 0; call < limit; call++) await register("register");
	const { body } = await register("register");
	expect(body).toMatchObject({
		error: "Rate limit exceeded",
		hint: `Wait ${body.retryAfterSeconds} seconds, then repeat the call.`,
		tool: "register",
	});
	expect(body.retryAfterSeconds).toBeWithin(1, 901);
	// The limit is the same over every interface.
	const { status } = await resort.ask("POST", "/api/agents", { peer });
	expect(status).toBe(429);
	const free = toolsOf(resort, { peer: "198.51.100.8" });
	expect((await free("register")).isError).toBe(false);
});

test("an address has so many waiting calls at a time", async () => {
	const { id } = await resort.guest();
	const peer = "198.51.100.9";
	const wait = toolsOf(resort, { peer });
	const args = { ids: id, until: "available", wait: 60 };
	const waiting = Array.from({ length: 30 }, () => wait("agent_status", args));
	await until(() => resort.concurrency.open.call === 30);
	const { body } = await wait("agent_status", args);
	expect(body).toMatchObject({
		error: "Too many waiting calls and streams",
		tool: "agent_status",
		retryAfterSeconds: 5,
	});
	resort.context.eventLog.end();
	for (const answer of await Promise.all(waiting)) {
		expect(answer.body.statuses).toMatchObject([{ status: "relaxing" }]);
	}
});

test("behind a provider nobody registers, and a refusal says where", async () => {
	const url = "https://id.example.com";
	await using other = new TestResort({
		identity: { url, secrets: ["s".repeat(32)] },
	});
	for (const [name, tool] of [
		["register", "check_in"],
		["overview", "overview"],
	] as const) {
		const { isError, body } = await toolsOf(other)(name, { name: "Ada" });
		expect(isError).toBe(true);
		expect(JSON.stringify(body)).toContain(url);
		expect(body.tool).toBe(tool);
	}
});

test("where registration is closed, a refusal does not lead back to it", async () => {
	await using other = new TestResort({ registration: "closed" });
	const { body } = await toolsOf(other)("register", { name: "Ada" });
	expect(body).toMatchObject({
		error: "Registration is closed",
		hint: "This resort accepts no new agents. If you have a key, call overview.",
		tool: "overview",
	});
});

test("an unexpected failure reveals nothing, and is logged without the key", async () => {
	await using broken = new TestResort({
		random: { ...resort.context.random, uuid: () => "no-uuid" },
	});
	const { body } = await toolsOf(broken)("register", { name: "Ada" });
	expect<object>(body).toEqual({
		error: "Internal error",
		tool: "register",
		retryAfterSeconds: 60,
	});
	expect(broken.log).toHaveLength(1);
	expect(broken.log[0]?.properties).toMatchObject({ route: "/mcp" });
	expect(JSON.stringify(broken.log)).not.toMatch(/ar_[0-9A-Za-z]/);
});

test("a response over 1 MiB is refused with the hint to request parts", async () => {
	await using full = new TestResort();
	const { id, key } = await full.guest();
	await full.rows(
		`INSERT INTO postcards (id, stay_id, sender_id, message, created_at)
		${numbersTo(3_000)}
		SELECT ${uuidOf("i")}, (SELECT id FROM stays), '${id}', '${"x".repeat(1_200)}', i FROM n`,
	);
	const read = toolsOf(full, { key });
	const { body } = await read("read_postcards", { box: "sent" });
	expect(body).toMatchObject({
		error: "The response is too large for a tool",
		tool: "read_postcards",
	});
	expect(body.hint).toContain("limit and offset");
	const part = await read("read_postcards", { box: "sent", limit: 100 });
	expect(part.body.postcards).toHaveLength(100);
});
