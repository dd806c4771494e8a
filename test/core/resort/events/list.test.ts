import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../../src/core/lib/clock.ts";
import type { EventsAnswer } from "../../../../src/core/resort/events/model.ts";
import { deleteOldEvents } from "../../../../src/core/resort/events/publish.ts";
import type { Registered } from "../../../support/calls.ts";
import { numbersTo } from "../../../support/engine.ts";
import { useResort } from "../../../support/use-resort.ts";
import { eventsOf, typesOf } from "./reading.ts";

const resort = useResort();
const events = eventsOf(resort);
/** The id of the newest event before the test, which may be greater than 0 on PostgreSQL. */
let start: number;
beforeEach(async () => {
	start = Number((await events()).cursor);
});

/** Returns the id of an event by its number, counted from the beginning of the test. */
const nth = (place: number) => String(start + place);

const MAX_EXAMINED = 5_000;

async function insertEvents(count: number, { id }: Registered, type = "agent.gone") {
	const details = '{"roomName":"Tent 1","roomType":"Tent","checkedInAt":1}';
	await resort.rows(
		`${numbersTo(count)} INSERT INTO events (type, at, agent_id, details) SELECT '${type}', i, '${id}', '${details}' FROM n`,
	);
}

describe("GET /api/events", () => {
	test.each([
		[200, "100 ids", `ids=${Array(100).fill("a").join()}`],
		[200, "a `since` of 15 digits", "since=999999999999999"],
		[200, "a `since` of 64 digits", `since=${"9".repeat(64)}`],
		[400, "a `since` of 65 digits", `since=${"9".repeat(65)}`],
		[200, "`types=,agent.gone`, which contains one type", "types=,agent.gone"],
		[400, "`types=,`, which contains no type", "types=,"],
	])("returns %d for %s", async (expected, _, query) => {
		const { status } = await resort.call("GET", `/api/events?${query}`);
		expect(status).toBe(expected);
	});

	test("returns `reset: true` if events after `since` were deleted, or `since` is greater than the newest id", async () => {
		await resort.guest();
		await resort.guest();
		expect(await events(`?since=${nth(3)}`)).toEqual({
			ok: true,
			events: [],
			cursor: nth(2),
			reset: true,
		} as EventsAnswer);
		expect(await events(`?since=${nth(2)}`)).toMatchObject({ reset: false });
		resort.advance(8 * DAY_MS);
		await resort.context.store.write(() => deleteOldEvents(resort.context, 7 * DAY_MS));
		expect(await events(`?since=${nth(1)}`)).toMatchObject({ events: [], cursor: nth(2), reset: true });
		expect(await events(`?since=${nth(2)}`)).toMatchObject({ reset: false });
		await resort.guest();
		// The second event was deleted. A client that has read only the first event has missed it, so `reset` is
		// true.
		expect((await events(`?since=${nth(2)}`)).events.map(({ id }) => id)).toEqual([nth(3)]);
		expect(await events(`?since=${nth(1)}`)).toMatchObject({ reset: true });
	});

	test.each([
		["finds", "4,999th", 4_999],
		["finds", "5,000th", 5_000],
		["does not find", "5,001st", 5_001],
		["does not find", "5,002nd", 5_002],
	])("%s the %s event after `since`, because 5,000 are examined", async (verb, _, match) => {
		const ada = await resort.register();
		await insertEvents(match - 1, ada);
		await insertEvents(1, ada, "agent.relaxing");
		const query = `&ids=${ada.id}&types=agent.relaxing`;
		const page = await events(`?since=${start}${query}`);
		const isFound = verb === "finds";
		const examined = isFound ? match : MAX_EXAMINED;
		expect(page.events.length).toBe(isFound ? 1 : 0);
		expect(page.cursor).toBe(nth(examined));
		const next = await events(`?since=${page.cursor}${query}`);
		expect(next.events.length).toBe(isFound ? 0 : 1);
	});

	test("responds to a call with `wait` after examining 5,000 events, even if none of them matches", async () => {
		const ada = await resort.register();
		await insertEvents(6_000, ada);
		await insertEvents(1, ada, "agent.relaxing");
		const query = `&wait=60&ids=${ada.id}&types=agent.relaxing`;
		const page = await events(`?since=${start}${query}`);
		expect(page).toMatchObject({ events: [], reset: false, cursor: nth(MAX_EXAMINED) });
		const last = await events(`?since=${page.cursor}${query}`);
		expect(typesOf(last)).toEqual(["agent.relaxing"]);
	});
});

const AT_ONCE = 5_000;

/** Adds events with consecutive ids, all of the same age. */
async function add(first: number, count: number, days: number) {
	const at = resort.nowMs - days * DAY_MS;
	await resort.rows(
		`WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})
		INSERT INTO events (id, type, at, agent_id) SELECT i, 'agent.did', ${at}, 'a' FROM n`,
	);
}

/** Expects one call to delete all old events. Returns the ids of the other events. */
async function forget(): Promise<unknown[]> {
	const isMore = await resort.context.store.write(() => deleteOldEvents(resort.context, 7 * DAY_MS));
	expect(isMore).toBe(false);
	return (await resort.rows("SELECT id FROM events ORDER BY id")).map(({ id }) => id);
}

describe("deleteOldEvents", () => {
	test("deletes events older than the retention time until it reaches a newer one", async () => {
		await add(1, 2, 8);
		await add(3, 1, 7);
		await add(4, 1, 8);
		await add(5, 1, 0);
		expect(await forget()).toEqual([3, 4, 5]);
	});

	test("keeps at most one million events", async () => {
		await add(1, 3, 0);
		await add(1_000_002, 1, 0);
		expect(await forget()).toEqual([3, 1_000_002]);
	});

	test("deletes at most 5,000 events in one transaction", async () => {
		await add(1, AT_ONCE + 1, 8);
		const isMore = await resort.context.store.write(() => deleteOldEvents(resort.context, 7 * DAY_MS));
		expect(isMore).toBe(true);
		expect(await resort.rows("SELECT id FROM events")).toEqual([{ id: AT_ONCE + 1 }]);
		expect(await forget()).toEqual([]);
	});
});
