import { describe, expect, test } from "bun:test";
import { publicFilter } from "../../../../src/core/resort/events/event-filter.ts";
import { EventLog } from "../../../../src/core/resort/events/event-log.ts";
import type { Registered } from "../../../support/calls.ts";
import { numbersTo } from "../../../support/engine.ts";
import type { TestResort } from "../../../support/resort.ts";
import { useResort } from "../../../support/use-resort.ts";
import { eventsOf, typesOf } from "./reading.ts";

const MAX_EXAMINED = 5_000;

/** SQL for the details of an event, with the fields of all types. */
const DETAILS = `'{"roomName":"r","roomType":"r","checkedInAt":1,"reason":"checked_out","checkedOutAt":1,"totalRelaxationPoints":1,"activityId":null,"name":"n","category":"c","relaxationPoints":1,"rating":1}'`;

async function insertEvents(resort: TestResort, count: number, { id }: Registered, type = "agent.gone") {
	await resort.rows(
		`${numbersTo(count)} INSERT INTO events (type, at, agent_id, details) SELECT '${type}', i, '${id}', ${DETAILS} FROM n`,
	);
}

describe("GET /api/events", () => {
	const resort = useResort();
	const events = eventsOf(resort);

	test.each([4_999, 5_000, 5_001, 5_002])(
		"examines at most 5,000 events if only event number %i after `since` matches",
		async (match) => {
			const ada = await resort.register();
			const { cursor: start } = await events();
			await insertEvents(resort, match - 1, ada);
			await insertEvents(resort, 1, ada, "agent.relaxing");
			const query = `&ids=${ada.id}&types=agent.relaxing`;
			const page = await events(`?since=${start}${query}`);
			const isFound = match <= MAX_EXAMINED;
			const examined = isFound ? match : MAX_EXAMINED;
			expect(page.events.length).toBe(isFound ? 1 : 0);
			expect(Number(page.cursor) - Number(start)).toBe(examined);
			const next = await events(`?since=${page.cursor}${query}`);
			expect(next.events.length).toBe(isFound ? 0 : 1);
		},
	);

	test("with `wait` responds when it has examined 5,000 events", async () => {
		const ada = await resort.register();
		const { cursor: start } = await events();
		await insertEvents(resort, 12_000, ada);
		await insertEvents(resort, 1, ada, "agent.relaxing");
		const query = `&wait=60&ids=${ada.id}&types=agent.relaxing`;
		let cursor = start;
		for (const examined of [5_000, 10_000]) {
			const page = await events(`?since=${cursor}${query}`);
			expect(page).toMatchObject({ events: [], reset: false });
			expect(Number(page.cursor) - Number(start)).toBe(examined);
			cursor = page.cursor;
		}
		const last = await events(`?since=${cursor}${query}`);
		expect(typesOf(last)).toEqual(["agent.relaxing"]);
	});
});

describe("concurrent searches for events", () => {
	const resort = useResort();

	test("run one at a time for each network, and networks take turns", async () => {
		const { id } = await resort.guest();
		const log = new EventLog(resort.context.store);
		const filter = publicFilter(null, new Set([id]));
		const ended: string[] = [];
		const search = async (network: string) => {
			await log.search(network, { since: 0, filter, limit: 1 });
			ended.push(network);
		};
		const many = Array.from({ length: 20 }, () => search("192.0.2.1"));
		await Promise.all([...many, search("192.0.2.2")]);
		expect(ended.indexOf("192.0.2.2")).toBeLessThan(4);
	});

	test("are refused if 1,000 searches from the same network already wait", async () => {
		await resort.guest();
		const log = new EventLog(resort.context.store);
		const search = () => log.search("192.0.2.1", { since: 0, filter: () => true, limit: 1 });
		const searches = Promise.allSettled(Array.from({ length: 1_002 }, search));
		// On a slow machine, searches that have waited too long are refused with another error.
		const refused = (await searches).filter(
			(one) => one.status === "rejected" && one.reason.message === "Too many searches for events",
		);
		expect(refused).toMatchObject([{ reason: { code: "unavailable", details: { retryAfterSeconds: 5 } } }]);
	});

	test("return no events if their subscription ends while they wait", async () => {
		const { id } = await resort.guest();
		const log = new EventLog(resort.context.store);
		const filter = publicFilter(null, new Set([id]));
		const subscribe = () => log.subscribe({ wake() {}, end() {} }, filter, "a");
		const [first, second] = [subscribe(), subscribe()];
		const pages = Promise.all([first.next(0, 1), second.next(0, 1)]);
		second.end();
		const [page, none] = await pages;
		expect(page.events.map(({ type }) => type)).toEqual(["agent.relaxing"]);
		expect(none).toMatchObject({ events: [], cursor: 0 });
		first.end();
	});
});
