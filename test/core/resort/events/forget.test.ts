import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../../src/core/lib/clock.ts";
import { deleteOldEvents } from "../../../../src/core/resort/events/publish.ts";
import { useResort } from "../../../support/use-resort.ts";

const AT_ONCE = 5_000;

const context = useResort();

/** Adds events with consecutive ids, all of the same age. */
async function add(first: number, count: number, days: number) {
	const at = context.nowMs - days * DAY_MS;
	await context.rows(
		`WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})
		INSERT INTO events (id, type, at, agent_id) SELECT i, 'agent.did', ${at}, 'a' FROM n`,
	);
}

/** Deletes the remaining old events, and returns the ids that are kept. */
async function forget(): Promise<unknown[]> {
	const isMore = await context.context.store.write(() => deleteOldEvents(context.context, 7 * DAY_MS));
	expect(isMore).toBe(false);
	return (await context.rows("SELECT id FROM events ORDER BY id")).map(({ id }) => id);
}

describe("deleteOldEvents", () => {
	test("deletes the events that are older than the retention time", async () => {
		await add(1, 2, 8);
		await add(3, 2, 7);
		await add(5, 2, 0);
		expect(await forget()).toEqual([3, 4, 5, 6]);
	});

	test("keeps at most one million events", async () => {
		await add(1, 3, 0);
		await add(1_000_002, 1, 0);
		expect(await forget()).toEqual([3, 1_000_002]);
	});

	test("deletes at most 5,000 events in one transaction", async () => {
		await add(1, AT_ONCE + 1, 8);
		const isMore = await context.context.store.write(() => deleteOldEvents(context.context, 7 * DAY_MS));
		expect(isMore).toBe(true);
		const rest = await context.rows("SELECT id FROM events");
		expect(rest).toEqual([{ id: AT_ONCE + 1 }]);
		expect(await forget()).toEqual([]);
	});

	test("keeps expired events that follow an event that is kept", async () => {
		await add(1, 1, 8);
		await add(2, 1, 0);
		await add(3, 1, 8);
		await add(4, 1, 0);
		expect(await forget()).toEqual([2, 3, 4]);
	});
});
