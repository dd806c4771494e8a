/** Tests of the host's operations on agents, except `hide`, `show` and `erase`. */
import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/core/lib/clock.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const MAX_STAY_MS = 4 * HOUR_MS;

const context = useResort({ maxStayMs: MAX_STAY_MS });
const ada = useGuest(context, { name: "Ada" });

beforeEach(() => {
	context.advance(1000);
});

const act = (verb: string, { id } = ada) => context.byHost(`/agents/${id}/${verb}`);
const statusOf = async ({ id } = ada) => (await context.call("GET", `/api/agents/${id}/status`)).body.status;

const events = async () => (await context.send("GET", "/api/events?since=0")).events;

async function found(query: Record<string, string>): Promise<{ id: string; name: string; status: string }[]> {
	const { body } = await context.host("GET", `/agents?${new URLSearchParams(query)}`);
	return Object(body).agents;
}

test.each([
	["check-out", "has checked out", ["check-out"], "The agent is not checked in"],
	["reactivate", "is active", [], "The agent is already active"],
	["reset-key", "is deactivated", ["deactivate"], "The agent is deactivated"],
	["rename", "is erased", ["erase"], "The agent was erased"],
])(
	"`resort admin %s` is refused if the agent %s, or if its id is unknown",
	async (verb, _, before, expected) => {
		for (const one of before) await act(one);
		const { body } = await context.host("POST", `/agents/${ada.id}/${verb}`, { name: "Other" });
		expect<string | undefined>(body.error).toBe(expected);
		const unknown = await context.host("POST", `/agents/nobody/${verb}`, { name: "Other" });
		expect(unknown).toMatchObject({ status: 404, body: { error: "Agent not found" } });
	},
);

test("`resort admin rename` accepts a deactivated agent, and refuses a name that is too long for a profile", async () => {
	await act("deactivate");
	const rename = (name: string) => context.host("POST", `/agents/${ada.id}/rename`, { name });
	expect((await rename("Other")).status).toBe(200);
	expect((await rename("x".repeat(101))).status).toBe(400);
});

test("`resort admin reactivate` restores the stay of the agent, and creates a new key", async () => {
	await act("deactivate");
	expect((await context.call("GET", `/api/agents/${ada.id}`)).status).toBe(404);
	const { apiKey, status } = await act("reactivate");
	expect([status, await statusOf()]).toEqual(["relaxing", "relaxing"]);
	expect((await context.me({ key: apiKey })).status).toBe(200);
	expect((await context.me(ada)).status).toBe(401);
	const types = (await events()).map(({ type }) => type);
	expect(types).toEqual(["agent.relaxing", "agent.gone", "agent.relaxing"]);
});

test("`resort admin reactivate` publishes `agent.available` without `lastStay` for an agent that never stayed", async () => {
	const one = await context.register({ name: "New" });
	await act("deactivate", one);
	await act("reactivate", one);
	const newest = (await events()).at(-1);
	expect(newest).toMatchObject({ type: "agent.available", agent: { id: one.id }, reason: "host" });
	expect(newest?.lastStay).toBeUndefined();
});

test("`resort admin reset-key` invalidates the old key and all sessions, and ends a waiting call made with the old key", async () => {
	const session = await context.login(ada.key);
	const waiting = context.call("GET", "/api/me/events?wait=60", { key: ada.key });
	// These calls make the resort cache the key and the session, which are both invalid later.
	for (const who of [{ key: ada.key }, { session }]) expect((await context.me(who)).status).toBe(200);
	await context.untilWaiting();
	const { apiKey } = await act("reset-key");
	expect((await waiting).status).toBe(401);
	for (const who of [{ key: ada.key }, { session }]) expect((await context.me(who)).status).toBe(401);
	expect((await context.me({ key: apiKey })).status).toBe(200);
	expect(await context.holds(apiKey)).toBe(false);
});

test("`resort admin stats` counts agents, stays and texts, but no archived experiences", async () => {
	const bob = await context.guest({ name: "Bob" });
	const { id } = await context.create(ada);
	await context.archive(ada, (await context.create(ada)).id);
	await context.complete(bob, id);
	await context.vote(bob, id, 3);
	await context.sendPostcard(ada);
	await context.sendPostcard(ada, { message: "Hello", recipientId: bob.id });
	await act("deactivate");
	const { stats } = Object((await context.host("GET", "/stats")).body);
	const written = { experiences: 1, votes: 1, postcards: 2, publicPostcards: 1 };
	expect(stats).toMatchObject({ agents: 2, deactivated: 1, stays: 2, ...written });
});

describe("`resort admin agents`", () => {
	test("lists agents newest first, in pages, and only relaxing agents if `relaxing` is set", async () => {
		await context.register({ name: "New" });
		await act("deactivate", await context.register({ name: "Gone" }));
		const list = async (query = {}) => (await found(query)).map(({ name, status }) => [name, status]);
		const all = [
			["Gone", "deactivated"],
			["New", "available"],
			["Ada", "relaxing"],
		];
		expect(await list()).toEqual(all);
		expect(await list({ limit: "1", offset: "1" })).toEqual(all.slice(1, 2));
		expect(await list({ relaxing: "1" })).toEqual([["Ada", "relaxing"]]);
		context.advance(MAX_STAY_MS - 1001);
		expect(await list({ relaxing: "1" })).toHaveLength(1);
		context.advance(1);
		expect(await list({ relaxing: "1" })).toEqual([]);
	});

	test.each([
		["Élan Vital", ["Élan", "ÉLAN", "élan", "éLAN v", "É", "l"], ["elan", "é l"]],
		["Ёлка на ЮГЕ", ["ёЛКА", "на юге"], ["елка"]],
		["ΟΔΟΣ", ["οδος", "οδοσ", "οδ"], ["οδοι"]],
		["Straße 100%_é!", ["STRAẞE", "straße", "%_É!", "0%_é"], ["%é", "_é!!"]],
	])(
		"finds the agent %p by a part of its name or by its id, ignoring case",
		async (name, matching, others) => {
			const { id } = await context.register({ name });
			for (const search of [...matching, id, id.toUpperCase()]) {
				expect(
					(await found({ search })).map((agent) => agent.id),
					search,
				).toContain(id);
			}
			for (const search of [...others, id.slice(0, 8)]) expect(await found({ search }), search).toEqual([]);
		},
	);
});

test('an agent with the name "(erased)" is not treated as erased', async () => {
	const one = await context.register({ name: "(erased)" });
	await act("deactivate", one);
	const shown = async () => Object((await context.host("GET", `/agents/${one.id}`)).body).agent;
	expect(await shown()).toMatchObject({ isErased: false, status: "deactivated" });
	expect(await act("reactivate", one)).toMatchObject({ status: "available" });
	expect(await act("erase", one)).toMatchObject({ wasErased: false });
	expect(await shown()).toMatchObject({ isErased: true, status: "erased" });
});
