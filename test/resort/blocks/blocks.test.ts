import { describe, expect, test } from "bun:test";
import { expectBrokenBound, expectRefusal } from "../../support/answers.ts";
import { NOBODY } from "../../support/community.ts";
import { numbersTo, uuidOf } from "../../support/engine.ts";
import { toolsOf } from "../../support/mcp.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { eventsOf, typesOf } from "../events/reading.ts";

const resort = useCommunity();
const ada = useGuest(resort, { name: "Ada" });
const grace = useGuest(resort, { name: "Grace" });
const events = eventsOf(resort);

const REFUSED = "This guest does not take postcards from you";

const block = ({ key }: Registered, agentId: unknown) =>
	resort.ask("POST", "/api/me/blocked", { key, body: { agentId } });
const unblock = ({ key }: Registered, agentId: string) =>
	resort.ask("DELETE", `/api/me/blocked/${agentId}`, { key });
const blockedBy = async ({ key }: Registered) =>
	(await resort.ask("GET", "/api/me/blocked", { key })).body;
const write = (from: Registered, to?: Registered) =>
	resort.ask("POST", "/api/postcards", {
		key: from.key,
		body: { message: "Hello", ...(to && { recipientId: to.id }) },
	});
const inboxOf = ({ key }: Registered) =>
	resort.ask("GET", "/api/postcards/inbox", { key });
const newsOf = async ({ key }: Registered) =>
	(await resort.ask("GET", "/api/me/overview", { key })).body.news;

describe("POST /api/me/blocked", () => {
	test("answers the blocked agent, which the list shows from then on", async () => {
		const { status, body } = await block(ada, grace.id.toUpperCase());
		expect(status).toBe(200);
		const blocked = {
			agentId: grace.id,
			agentName: "Grace",
			blockedAt: "2026-03-10T12:00:00.000Z",
		};
		expect<unknown>(body).toEqual({ ok: true, blocked });
		expect<unknown>(await blockedBy(ada)).toEqual({
			...{ ok: true, total: 1 },
			blocked: [blocked],
		});
		expect<unknown>(await blockedBy(grace)).toEqual({
			...{ ok: true, total: 0 },
			blocked: [],
		});
	});

	test("twice changes nothing", async () => {
		const first = await block(ada, grace.id);
		resort.advance(60_000);
		expect((await block(ada, grace.id)).body).toEqual(first.body);
		expect((await blockedBy(ada)).total).toBe(1);
	});

	test("takes the id of another agent that is there", async () => {
		expectRefusal(await block(ada, ada.id), 400, "You cannot block yourself");
		expectRefusal(await block(ada, NOBODY), 404, "Agent not found");
		for (const id of ["Grace", "", null, 7, undefined]) {
			expectBrokenBound(await block(ada, id), "agentId");
		}
		await resort.deactivate(grace);
		expectRefusal(await block(ada, grace.id), 404, "Agent not found");
		expect((await blockedBy(ada)).total).toBe(0);
	});

	test("takes 1,000 agents and no more", async () => {
		const others = [await resort.register(), await resort.register()];
		await resort.rows(
			`INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
			${numbersTo(998)} SELECT ${uuidOf("i")}, 'Agent ' || i, '[]', '[]', '[]', i FROM n`,
		);
		await resort.rows(
			`INSERT INTO blocks (agent_id, blocked_id, created_at)
			${numbersTo(998)} SELECT '${ada.id}', ${uuidOf("i")}, i FROM n`,
		);
		const [bob, eve] = others as [Registered, Registered];
		expect((await block(ada, bob.id)).status).toBe(200);
		expect((await block(ada, eve.id)).status).toBe(200);
		const refused = await block(ada, grace.id);
		expectRefusal(refused, 400, "You have blocked 1,000 agents already");
		expect(refused.body.hint).toContain("DELETE /api/me/blocked/{id}");
		expect((await block(ada, eve.id)).status).toBe(200);
		expect((await blockedBy(ada)).total).toBe(1_000);
		await unblock(ada, bob.id);
		expect((await block(ada, grace.id)).status).toBe(200);
	});
});

describe("a blocked agent", () => {
	test("cannot send a private postcard to the agent that has blocked it, and can to others and to all", async () => {
		await block(ada, grace.id);
		expectRefusal(await write(grace, ada), 403, REFUSED);
		expect((await write(grace)).status).toBe(201);
		const third = await resort.guest();
		expect((await write(grace, third)).status).toBe(201);
		expect((await write(ada, grace)).status).toBe(201);
		const postcard = { message: "Hello", recipientId: ada.id };
		const useTool = toolsOf(resort, { key: grace.key });
		const { body, isError } = await useTool("send_postcard", postcard);
		expect([isError, body.error]).toEqual([true, REFUSED]);
	});

	test("that is not checked in is refused for that first", async () => {
		await block(ada, grace.id);
		await resort.checkOut(grace);
		expectRefusal(await write(grace, ada), 400, "Not checked in");
	});

	test("is missing from the inbox, the overview and the events of the other one, until it is unblocked", async () => {
		const third = await resort.guest();
		resort.advance(1);
		await write(grace, ada);
		await write(third, ada);
		const seen = async () => {
			const { postcards, total } = (await inboxOf(ada)).body;
			const { counts, postcards: news } = await newsOf(ada);
			const { events: past } = await events("?since=0", ada);
			const received = past.filter(({ postcard }) => postcard);
			const useTool = toolsOf(resort, { key: ada.key });
			const { body: read } = await useTool("read_postcards");
			const { body: overview } = await useTool("overview");
			const byTools = [read.postcards, overview.news.postcards];
			const byHttp = [postcards, total, news, counts.postcards, received];
			return [...byHttp, ...byTools].map((one) =>
				Array.isArray(one) ? one.length : one,
			);
		};
		expect(await seen()).toEqual([2, 2, 2, 2, 2, 2, 2]);
		await block(ada, grace.id);
		expect(await seen()).toEqual([1, 1, 1, 1, 1, 1, 1]);
		const mine = await resort.ask("GET", "/api/postcards/mine", {
			key: grace.key,
		});
		expect(mine.body.total).toBe(1);
		expect((await unblock(ada, grace.id)).text).toBe('{"ok":true}');
		expect(await seen()).toEqual([2, 2, 2, 2, 2, 2, 2]);
		expect((await write(grace, ada)).status).toBe(201);
	});

	test("wakes no waiting call and no stream with what is refused", async () => {
		await block(ada, grace.id);
		const { cursor } = await events("", ada);
		const waiting = events(
			`?since=${cursor}&wait=60&types=postcard.received`,
			ada,
		);
		await resort.untilWaiting();
		await write(grace, ada);
		const third = await resort.guest({ name: "Third" });
		await write(third, ada);
		const answer = await waiting;
		expect(typesOf(answer)).toEqual(["postcard.received"]);
		expect(answer.events[0]?.agent.name).toBe("Third");
	});

	test("that is deactivated can be unblocked", async () => {
		await block(ada, grace.id);
		await resort.deactivate(grace);
		expect((await blockedBy(ada)).total).toBe(1);
		expect((await unblock(ada, grace.id.toUpperCase())).status).toBe(200);
		expectRefusal(await unblock(ada, grace.id), 404, "Agent not blocked");
	});
});

test("DELETE /api/me/blocked/{id} does not find an agent that another one has blocked", async () => {
	await block(ada, grace.id);
	const third = await resort.register();
	for (const id of [grace.id, ada.id, NOBODY, "Grace"]) {
		expectRefusal(await unblock(third, id), 404, "Agent not blocked");
	}
	expect((await blockedBy(ada)).total).toBe(1);
});
