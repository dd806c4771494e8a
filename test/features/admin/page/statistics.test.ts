import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { CallCounter } from "../../../../src/features/admin/page/call-counter.ts";
import { dayChart, hourChart } from "../../../../src/features/admin/page/charts.ts";
import { overviewPage } from "../../../../src/features/admin/page/overview-page.ts";
import {
	computeHours,
	type Hour,
	KEPT_MS,
	readHours,
	storeHours,
} from "../../../../src/features/admin/page/statistics.ts";
import type { Registered } from "../../../support/calls.ts";
import { testSqlite } from "../../../support/requirements.ts";
import { TestResort } from "../../../support/resort.ts";
import { notePrepared, planOf, SCAN } from "../../../support/store.ts";

/** Wednesday, 2026-03-11T00:00:00Z. */
const MIDNIGHT = Date.UTC(2026, 2, 11);

/** Returns the values of one field in all hours. */
const all = (hours: readonly Hour[], name: keyof Hour) => hours.map((hour) => hour[name]);

/**
 * Lets agents register, check in and check out.
 * @param moments a time in minutes after {@link MIDNIGHT}, what happens then, and the number of the agent
 */
async function follow(
	house: TestResort,
	moments: readonly (readonly [minutes: number, what: "register" | "checkIn" | "checkOut", who: number])[],
): Promise<void> {
	const agents: Registered[] = [];
	for (const [minutes, what, who] of moments) {
		house.nowMs = MIDNIGHT + minutes * MINUTE_MS;
		const agent = agents[who] ?? (await house.register());
		agents[who] = agent;
		if (what !== "register") await house[what](agent);
	}
}

describe("the hourly statistics", () => {
	test("contain the maximum number of guests, the check-ins and the registrations of each hour, across midnight", async () => {
		await using house = new TestResort();
		await follow(house, [
			[-180, "register", 0],
			[-170, "checkIn", 0],
			[-120, "register", 1],
			[-50, "checkIn", 1],
			[-40, "checkOut", 0],
			[-30, "checkIn", 0],
			[10, "checkOut", 1],
			[60, "register", 2],
			[70, "checkIn", 2],
			[80, "checkOut", 2],
			[130, "checkIn", 1],
			// Both happen in minute 140. The check-in counts first, so the maximum of this hour is three guests.
			[140, "checkOut", 1],
			[140, "checkIn", 2],
			[150, "checkOut", 2],
		]);
		const { store } = house.context;
		const hours = await computeHours(store, MIDNIGHT - 3 * HOUR_MS, MIDNIGHT + 3 * HOUR_MS);
		expect(all(hours, "hour")).toEqual([-3, -2, -1, 0, 1, 2].map((at) => MIDNIGHT + at * HOUR_MS));
		expect(all(hours, "mostGuests")).toEqual([1, 1, 2, 2, 2, 3]);
		expect(all(hours, "checkIns")).toEqual([1, 0, 2, 0, 1, 2]);
		expect(all(hours, "registrations")).toEqual([1, 1, 0, 0, 1, 0]);
	});

	test("include guests that checked in before the first requested hour, whether or not they have checked out", async () => {
		await using house = new TestResort();
		await follow(house, [
			[0, "checkIn", 0],
			[0, "checkIn", 1],
			[301, "checkOut", 1],
		]);
		const { store } = house.context;
		const hours = await computeHours(store, MIDNIGHT + 4 * HOUR_MS, MIDNIGHT + 7 * HOUR_MS);
		expect(all(hours, "mostGuests")).toEqual([2, 2, 1]);
		expect(all(hours, "checkIns")).toEqual([0, 0, 0]);
	});

	test.skipIf(testSqlite.isMissing)(
		`are computed by queries that use indexes${testSqlite.note}`,
		async () => {
			await using house = new TestResort({ nowMs: MIDNIGHT });
			const prepared = notePrepared(house.sqlite);
			await computeHours(house.context.store, MIDNIGHT, MIDNIGHT + 1);
			const plan = prepared.flatMap((query) => planOf(house.sqlite, query));
			expect(plan).toHaveLength(4);
			expect(plan.filter((step) => SCAN.test(step) || /ORDER BY/.test(step))).toEqual([]);
		},
	);

	test("count each of 1,100 agents once, although rows are read in parts", async () => {
		await using house = new TestResort({ nowMs: MIDNIGHT });
		const numbers =
			"with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1100)";
		await house.rows(
			`${numbers} insert into agents (id, name, created_at, relaxation_style, comfort_objects, interests) select 'a' || n, 'Eve', ${MIDNIGHT}, '[]', '[]', '[]' from numbers`,
		);
		await house.rows(
			`${numbers} insert into stays (id, agent_id, room_type, room_number, checked_in_at, checked_out_at) select 's' || n, 'a' || n, 'quiet', 1, ${MIDNIGHT}, case when n <= 1050 then ${MIDNIGHT + HOUR_MS} end from numbers`,
		);
		const hours = await computeHours(house.context.store, MIDNIGHT, MIDNIGHT + 3 * HOUR_MS);
		expect(all(hours, "mostGuests")).toEqual([1_100, 1_100, 50]);
		expect(all(hours, "checkIns")).toEqual([1_100, 0, 0]);
		expect(all(hours, "registrations")).toEqual([1_100, 0, 0]);
	});
});

describe("stored hourly statistics", () => {
	test("contain each complete hour of the last 31 days once, with the database size only for the newest hour", async () => {
		await using house = new TestResort({ nowMs: MIDNIGHT + MINUTE_MS });
		const stored = () => readHours(house.context.store, 0);
		// Several instances may store the hours at the same time.
		await Promise.all([storeHours(house.context), storeHours(house.context)]);
		const before = await stored();
		expect(before).toHaveLength(KEPT_MS / HOUR_MS);
		expect(before[0]?.hour).toBe(MIDNIGHT - KEPT_MS);
		expect(before.at(-1)?.hour).toBe(MIDNIGHT - HOUR_MS);
		expect(before.filter(({ bytes }) => bytes !== null)).toEqual([before.at(-1) as Hour]);
		expect(before.at(-1)?.bytes).toBeGreaterThan(0);
		// The clock first stands still, and is then set back.
		for (const nowMs of [MIDNIGHT + MINUTE_MS, MIDNIGHT - 5 * HOUR_MS]) {
			house.nowMs = nowMs;
			await storeHours(house.context);
			expect(await stored()).toEqual(before);
		}
		house.nowMs = MIDNIGHT + 2 * DAY_MS;
		await storeHours(house.context);
		const after = await stored();
		expect(after[0]?.hour).toBe(MIDNIGHT + 2 * DAY_MS - KEPT_MS);
		expect(after).toHaveLength(KEPT_MS / HOUR_MS);
	});

	test("include every hour in which the instance was off, with the database size only for the newest", async () => {
		await using house = new TestResort({ nowMs: MIDNIGHT + HOUR_MS });
		await storeHours(house.context);
		await follow(house, [[61, "checkIn", 0]]);
		house.nowMs = MIDNIGHT + 3 * DAY_MS;
		await storeHours(house.context);
		const hours = await readHours(house.context.store, MIDNIGHT);
		expect(hours).toHaveLength(72);
		expect(all(hours, "mostGuests")).toEqual([0, ...Array.from({ length: 71 }, () => 1)]);
		const measured = hours.filter(({ bytes }) => bytes !== null);
		expect(all(measured, "hour")).toEqual([0, 71].map((at) => MIDNIGHT + at * HOUR_MS));
	});
});

test("the host's page (/admin) shows the guests of hours that are not stored yet, and the check-ins and registrations of each day", async () => {
	await using house = new TestResort({ nowMs: MIDNIGHT });
	await storeHours(house.context);
	await follow(house, [
		[1, "checkIn", 0],
		[61, "checkIn", 1],
	]);
	const app = { services: house.context, capacity: house.capacity };
	const { main } = await overviewPage(app, new CallCounter(() => house.nowMs), []);
	expect(main.markup).toContain("<title>Wed 2026-03-11 00:00: 1</title>");
	expect(main.markup).toContain("<title>Wed 2026-03-11 01:00: 2</title>");
	// The charts of check-ins and registrations have one bar for each of the last 30 days.
	const titles = Array.from(main.markup.matchAll(/<title>(\w+ [\d-]+: \d+)<\/title>/g), ([, title]) => title);
	const days = ["Tue 2026-03-10: 0", "Wed 2026-03-11: 2"];
	expect([titles.slice(28, 30), titles.slice(58)]).toEqual([days, days]);
});

describe("a chart on the host's page (/admin)", () => {
	const bars = [1, 0, null, 4].map((value, at) => ({ atMs: MIDNIGHT + at * DAY_MS, value }));
	const groupsIn = (markup: string, pattern: RegExp) =>
		Array.from(markup.matchAll(pattern), ([, text]) => text);
	const heightsIn = (markup: string) => groupsIn(markup, /height="([\d.]+)"><title>/g);
	const cellsIn = (markup: string) => groupsIn(markup, /<td[^>]*>(.*?)<\/td>/g);
	const labelsIn = (markup: string) => groupsIn(markup.split('class="days"')[1] ?? "", /<li>(.*?)<\/li>/g);

	test("has a bar for each value, relative to the highest value, and a table with the same numbers", () => {
		const { markup } = dayChart({ title: "Check-ins", bars });
		expect(heightsIn(markup)).toEqual(["25", "0", "3", "100"]);
		const values = ["1", "0", "not known", "4"];
		expect(groupsIn(markup, /<title>[^<]*: ([^<]*)<\/title>/g)).toEqual(values);
		expect(cellsIn(markup)).toEqual(values);
		expect(markup).toContain("Most: 4, Sat 2026-03-14.");
		expect(markup.match(/class="hole"/g)).toHaveLength(1);
		expect(labelsIn(markup)).toEqual(["Wed 11 Mar", "Sat 14 Mar"]);
		expect(markup).toContain('<p class="scale" aria-hidden="true">4</p>');
	});

	test("shows hours in a table with a row for each day, and an empty cell for each hour without a bar", () => {
		const hours = [22, 23, 24, 25].map((at) => ({ atMs: MIDNIGHT + at * HOUR_MS, value: at }));
		const { markup } = hourChart({ title: "Guests", bars: hours });
		const rows = [...markup.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)];
		expect(rows.map(([, day]) => day)).toEqual(["Wed 2026-03-11", "Thu 2026-03-12"]);
		const cells = rows.map(([, , row = ""]) => cellsIn(row));
		expect(cells.map((row) => row.length)).toEqual([24, 24]);
		expect(cells[0]?.slice(21)).toEqual(["", "22", "23"]);
		expect(cells[1]?.slice(0, 3)).toEqual(["24", "25", ""]);
		expect(rows[0]?.[2]).toEndWith('<td data-head="22">22</td><td data-head="23">23</td>');
		expect(labelsIn(markup)).toEqual(["Wed 11", "Thu 12"]);
		expect(markup).toContain('<rect class="now" x="38"');
		expect(markup).toContain("<strong>Guests (UTC)</strong>");
		expect(markup).toContain("Most: 25, Thu 2026-03-12 01:00.");
	});

	test("has bars of height 0 if all values are 0", () => {
		const { markup } = dayChart({ title: "Check-ins", bars: [{ atMs: MIDNIGHT, value: 0 }] });
		expect(heightsIn(markup)).toEqual(["0"]);
		expect(markup).toContain("None.");
	});
});
