import { describe, expect, test } from "bun:test";
import { describeOnPostgres } from "../../../support/requirements.ts";
import { useGuest, useInstances, useResort } from "../../../support/use-resort.ts";
import { eventsOf, typesOf } from "./reading.ts";

const resort = useResort();

const events = eventsOf(resort);

describe("GET /api/events with `wait`", () => {
	test("returns the first matching event, and its id as the cursor", async () => {
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

	test("returns no events, and the id of the newest event as the cursor, when the waiting time ends", async () => {
		const ada = await resort.register();
		const { cursor: start } = await events("");
		const waiting = events("?wait=1&types=agent.gone");
		await resort.untilWaiting();
		await resort.checkIn(ada);
		const answer = await waiting;
		expect(answer).toMatchObject({ events: [], reset: false });
		expect(answer.cursor).toBe(String(Number(start) + 1));
	});

	test("responds immediately if there are events after `since`, or if `since` is greater than the newest id", async () => {
		const ada = await resort.register();
		const { cursor } = await events("");
		await resort.checkIn(ada);
		const known = await events(`?since=${cursor}&wait=60`);
		expect(typesOf(known)).toEqual(["agent.relaxing"]);
		const beyond = await events(`?since=${Number(known.cursor) + 1}&wait=60`);
		expect(beyond).toMatchObject({ events: [], cursor: known.cursor, reset: true });
	});

	test("skips an event about a hidden postcard, and returns the next event", async () => {
		const ada = await resort.guest();
		const { cursor } = await events("");
		await resort.sendPostcard(ada);
		await resort.rows("UPDATE postcards SET hidden_at = 1");
		await resort.checkOut(ada);
		const answer = await events(`?since=${cursor}&limit=1&wait=60`);
		expect(typesOf(answer)).toEqual(["agent.available"]);
	});

	test("ends when the client disconnects before or during the wait", async () => {
		for (const isWaiting of [false, true]) {
			const leaving = new AbortController();
			if (isWaiting) void resort.untilWaiting().then(() => leaving.abort());
			else leaving.abort();
			const startedAt = performance.now();
			await resort.fetch(new Request("http://resort.test/api/events?wait=60", { signal: leaving.signal }));
			expect(performance.now() - startedAt).toBeLessThan(5_000);
		}
	});

	test("returns null as the name of an agent that was deactivated after the event", async () => {
		const ada = await resort.register();
		const bob = await resort.register({ name: "Bob" });
		const { cursor } = await events("");
		// Another call waits during the whole test, so that the resort keeps the events in its cache.
		const other = events(`?wait=60&ids=${bob.id}`);
		await resort.untilWaiting();
		await resort.checkIn(ada);
		await events(`?since=${cursor}&wait=60`);
		await resort.call("DELETE", "/api/me", { key: ada.key });
		await resort.checkIn(bob);
		await other;
		const answer = await events(`?since=${cursor}&wait=60`);
		const names = answer.events.map(({ agent }) => agent.name);
		expect(names).toEqual([null, null, "Bob"]);
	});
});

describe("GET /api/me/events with `wait`", () => {
	test("returns a private postcard only to its recipient", async () => {
		const ada = await resort.guest();
		const bob = await resort.guest({ name: "Bob" });
		const { cursor } = await events("");
		const mine = events("?wait=60", bob);
		const everybody = events(`?since=${cursor}&wait=1`);
		await resort.untilWaiting(2);
		await resort.sendPostcard(ada, { message: "psst", recipientId: bob.id });
		expect(typesOf(await mine)).toEqual(["postcard.received"]);
		expect(typesOf(await everybody)).toEqual([]);
	});

	test.each([
		["the key of the call is replaced", "POST", "/api/me/api-key"],
		["the agent is deactivated", "DELETE", "/api/me"],
	] as const)("returns 401 when %s during the wait", async (_, method, path) => {
		const ada = await resort.register();
		const waiting = resort.call("GET", "/api/me/events?wait=60", { key: ada.key });
		await resort.untilWaiting();
		await resort.call(method, path, { key: ada.key });
		expect((await waiting).status).toBe(401);
	});

	test("returns 401 when the session of the call ends, but not when another session of the agent ends", async () => {
		const ada = await resort.register();
		const session = await resort.login(ada.key);
		const other = await resort.login(ada.key);
		const path = "/api/me/events?wait=60&types=agent.relaxing";
		const waiting = resort.call("GET", path, { session });
		const withOther = resort.call("GET", path, { session: other });
		await resort.untilWaiting(2);
		await resort.call("DELETE", "/api/session", { session });
		expect((await waiting).status).toBe(401);
		await resort.checkIn(ada);
		const { status, body } = await withOther;
		expect([status, body.events.length]).toEqual([200, 1]);
	});
});

// A SQLite file is served by only one instance.
describeOnPostgres("a call that waits at one instance while a change is made at another", () => {
	const [one, two] = useInstances();
	const ada = useGuest(one);

	test.each([
		[
			"200 after a check-out",
			"POST",
			"/api/checkout",
			"agents/ID/status?until=available&expect=available&",
			200,
		],
		["404 after a deactivation", "DELETE", "/api/me", "agents/ID/status?until=available&", 404],
		["401 after its key was replaced", "POST", "/api/me/api-key", "me/events?", 401],
	])("returns %s", async (_, method, path, asked, expected) => {
		const { id, key } = ada;
		const waiting = two.call("GET", `/api/${asked.replace("ID", id)}wait=60`, { key });
		await two.untilWaiting();
		await one.call(method, path, { key });
		expect((await waiting).status).toBe(expected);
	});

	test("returns every event of concurrent changes, in order", async () => {
		const guests = await Promise.all(Array.from({ length: 12 }, () => one.register()));
		const { body } = await two.call("GET", "/api/events");
		const told: string[] = [];
		const reading = (async () => {
			for (let { cursor } = body; told.length < 48; ) {
				const answer = await two.call("GET", `/api/events?since=${cursor}&wait=60`);
				told.push(...answer.body.events.map(({ id }) => id));
				cursor = answer.body.cursor;
			}
		})();
		for (const path of ["checkin", "checkout", "checkin", "checkout"]) {
			await Promise.all(
				guests.map(({ key }, at) => (at % 2 ? one : two).call("POST", `/api/${path}`, { key })),
			);
		}
		await reading;
		expect(told.map(Number)).toEqual(told.map(Number).toSorted((a, b) => a - b));
		expect(new Set(told).size).toBe(48);
	});
});
