import { describe, expect, test } from "bun:test";
import { useCommunity } from "../../support/use-resort.ts";
import { eventsOf, typesOf } from "./reading.ts";

const resort = useCommunity();

const events = eventsOf(resort);

describe("GET /api/events with wait", () => {
	test("answers at the first event that fits, and passes over the others", async () => {
		const ada = await resort.register();
		const bob = await resort.register({ name: "Bob" });
		const { cursor: start } = await events("");
		const waiting = events(`?wait=60&types=agent.available&ids=${ada.id}`);
		await resort.untilWaiting();
		await resort.checkIn(bob);
		await resort.checkIn(ada);
		await resort.checkOut(bob);
		await resort.checkOut(ada);
		const answer = await waiting;
		expect(typesOf(answer)).toEqual(["agent.available"]);
		expect(answer.events[0]?.agent.id).toBe(ada.id);
		expect(answer.cursor).toBe(String(Number(start) + 4));
	});

	test("returns none when the time is over, and how far it has searched", async () => {
		const ada = await resort.register();
		const { cursor: start } = await events("");
		const waiting = events("?wait=1&types=agent.gone");
		await resort.untilWaiting();
		await resort.checkIn(ada);
		const answer = await waiting;
		expect(answer).toMatchObject({ events: [], reset: false });
		expect(answer.cursor).toBe(String(Number(start) + 1));
	});

	test("answers at once with what has happened, or with a reset", async () => {
		const ada = await resort.register();
		const { cursor } = await events("");
		await resort.checkIn(ada);
		const known = await events(`?since=${cursor}&wait=60`);
		expect(typesOf(known)).toEqual(["agent.relaxing"]);
		const beyond = await events(`?since=${Number(known.cursor) + 1}&wait=60`);
		expect(beyond).toMatchObject({
			events: [],
			cursor: known.cursor,
			reset: true,
		});
	});

	test("misses none and repeats none for a reader that continues with the cursor", async () => {
		const guests = [await resort.register(), await resort.register()];
		const { cursor: start } = await events("");
		const told: string[] = [];
		const reading = (async () => {
			for (let cursor = start; told.length < 40; ) {
				const answer = await events(`?since=${cursor}&wait=60&limit=3`);
				told.push(...answer.events.map(({ id }) => id));
				cursor = answer.cursor;
			}
		})();
		for (let round = 0; round < 10; round++) {
			await Promise.all(guests.map((one) => resort.checkIn(one)));
			await Promise.all(guests.map((one) => resort.checkOut(one)));
		}
		await reading;
		const from = Number(start) + 1;
		expect(told.map(Number)).toEqual(
			Array.from({ length: 40 }, (_, at) => from + at),
		);
	});

	test("ends when its caller is gone, also before it began to wait", async () => {
		for (const isWaiting of [false, true]) {
			const leaving = new AbortController();
			if (isWaiting) void resort.untilWaiting().then(() => leaving.abort());
			else leaving.abort();
			const startedAt = performance.now();
			await resort.fetch(
				new Request("http://resort.test/api/events?wait=60", {
					signal: leaving.signal,
				}),
			);
			expect(performance.now() - startedAt).toBeLessThan(5_000);
		}
	});

	test("contains the current name: an agent that is gone has none", async () => {
		const ada = await resort.register();
		const bob = await resort.register({ name: "Bob" });
		const { cursor } = await events("");
		// Somebody waits all the time, so that events are remembered.
		const other = events(`?wait=60&ids=${bob.id}`);
		await resort.untilWaiting();
		await resort.checkIn(ada);
		await events(`?since=${cursor}&wait=60`);
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		await resort.checkIn(bob);
		await other;
		const answer = await events(`?since=${cursor}&wait=60`);
		const names = answer.events.map(({ agent }) => agent.name);
		expect(names).toEqual([null, null, "Bob"]);
	});

	test.each([
		["wait=0", 200],
		["wait=60", 200],
		["wait=61", 400],
		["wait=-1", 400],
		["wait=x", 400],
	])("%s is %i", async (query, status) => {
		const ada = await resort.register();
		const { cursor } = await events("");
		await resort.checkIn(ada);
		const path = `/api/events?since=${cursor}&${query}`;
		expect((await resort.ask("GET", path)).status).toBe(status);
	});
});

describe("GET /api/me/events with wait", () => {
	test("returns a private postcard only to its recipient", async () => {
		const ada = await resort.guest();
		const bob = await resort.guest({ name: "Bob" });
		const { cursor } = await events("");
		const mine = events("?wait=60", bob);
		const everybody = events(`?since=${cursor}&wait=1`);
		await resort.untilWaiting(2);
		await resort.send(ada, { message: "psst", recipientId: bob.id });
		expect(typesOf(await mine)).toEqual(["postcard.received"]);
		expect(typesOf(await everybody)).toEqual([]);
	});

	test("returns what others did with the caller's experiences", async () => {
		const ada = await resort.guest();
		const bob = await resort.guest({ name: "Bob" });
		const { id: fog } = await resort.create(ada);
		const waiting = events("?wait=60", ada);
		await resort.untilWaiting();
		await resort.complete(bob, fog);
		const answer = await waiting;
		expect(typesOf(answer)).toEqual(["agent.did"]);
		expect(answer.events[0]?.agent.id).toBe(bob.id);
	});

	test.each([
		["a new key", "POST", "/api/me/api-key"],
		["a deactivation", "DELETE", "/api/me"],
	] as const)("is 401 when %s ends the key", async (_, method, path) => {
		const ada = await resort.register();
		const waiting = resort.ask("GET", "/api/me/events?wait=60", {
			key: ada.key,
		});
		await resort.untilWaiting();
		await resort.ask(method, path, { key: ada.key });
		expect((await waiting).status).toBe(401);
	});

	test("is 401 when its session ends, and goes on when another one does", async () => {
		const ada = await resort.register();
		const session = await resort.login(ada.key);
		const other = await resort.login(ada.key);
		const path = "/api/me/events?wait=60&types=agent.relaxing";
		const waiting = resort.ask("GET", path, { session });
		const withOther = resort.ask("GET", path, { session: other });
		await resort.untilWaiting(2);
		await resort.ask("DELETE", "/api/session", { session });
		expect((await waiting).status).toBe(401);
		await resort.checkIn(ada);
		const { status, body } = await withOther;
		expect([status, body.events.length]).toEqual([200, 1]);
	});
});
