import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { clientKey, networkLimits, wideNetworkOf } from "../../../src/core/lib/ip-address.ts";
import type { Verdict } from "../../../src/core/lib/sliding-window.ts";
import { CountedWindow } from "../../support/counted-window.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { type Connection, openDatabase } from "./support/shared.ts";

const WINDOW_MS = 10_000;
const START_MS = Date.UTC(2026, 2, 10, 12);

interface Counted {
	readonly name?: string;
	readonly keys: readonly string[];
	readonly maxima?: readonly number[];
	readonly nowMs?: number;
}

async function admit(
	{ sql }: Connection,
	{ name = "n", keys, maxima = [5], nowMs = START_MS }: Counted,
): Promise<Verdict> {
	const [row] = await sql`select * from admit(${name}, ${sql.array([...keys], "TEXT")},
		${sql.array([...maxima], "INT")}, ${WINDOW_MS}, ${nowMs})`;
	return { admitted: row.admitted, remaining: row.remaining, resetSeconds: row.reset_seconds };
}

async function giveBack({ sql }: Connection, { name = "n", keys, nowMs = START_MS }: Counted): Promise<void> {
	await sql`select give_back(${name}, ${sql.array([...keys], "TEXT")}, ${WINDOW_MS}, ${nowMs})`;
}

async function timesOf({ sql }: Connection, key: string): Promise<number[] | undefined> {
	const [row] = await sql`select array_to_json(times) as times from limits where key = ${key}`;
	return row?.times;
}

const forget = async ({ sql }: Connection, nowMs: number, atMost = 100) =>
	(await sql`select forget_limits(${nowMs}, ${atMost}) as count`)[0].count;

describeOnPostgres("the SQL functions of rate limits", () => {
	test("admit the same calls as the windows of a single instance", async () => {
		await using connection = await openDatabase();
		const step = fc.record({
			address: fc.constantFrom(
				"192.0.2.1",
				"2001:db8:1:100::1",
				"2001:db8:1:101::1",
				"2001:db8:1:1ff::1",
				"2001:db8:1:200::1",
				"2001:db8:2:100::1",
			),
			// The negative step sets the clock back so far that the clock never reaches the earlier times again.
			passesMs: fc.constantFrom(0, 0, 1, 400, 3_000, 9_999, 10_000, -DAY_MS),
			givesBack: fc.boolean(),
		});
		const history = fc.array(step, { minLength: 30, maxLength: 60 });
		let histories = 0;
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 2 }), history, async (limit, steps) => {
				const window = new CountedWindow(limit, WINDOW_MS, 1_000, (key) => networkLimits(key, limit));
				const name = `history ${++histories}`;
				let nowMs = START_MS;
				for (const { address, passesMs, givesBack } of steps) {
					nowMs += passesMs;
					const own = clientKey(address, null, []);
					const wider = wideNetworkOf(own);
					const keys = wider === null ? [own] : [own, wider];
					const maxima = [limit, 10 * limit].slice(0, keys.length);
					const call = { name, keys, maxima, nowMs };
					const expected = window.admit(own, nowMs);
					expect(await admit(connection, call)).toEqual(expected);
					if (!expected.admitted || !givesBack) continue;
					window.refund(own, nowMs);
					await giveBack(connection, call);
				}
			}),
			{ numRuns: 20 },
		);
	});

	test.each([
		["refuse", 0],
		["refuse", 999],
		["refuse", 1_000],
		["admit", 1_001],
	])("%s a call beyond the limit from an instance whose clock is %d ms behind", async (verdict, behindMs) => {
		await using connection = await openDatabase();
		const call = { keys: ["a"], maxima: [2] };
		await admit(connection, call);
		await admit(connection, call);
		const late = { ...call, nowMs: START_MS - behindMs };
		expect((await admit(connection, late)).admitted).toBe(verdict === "admit");
	});

	test("count a refused call for none of its keys, even if concurrent calls list the keys in another order", async () => {
		await using connection = await openDatabase({ max: 8 });
		const orders: Counted[] = [
			{ keys: ["a", "z"], maxima: [100, 5] },
			{ keys: ["z", "a"], maxima: [5, 100] },
		];
		const calls = Array.from({ length: 60 }, (_, at) => admit(connection, orders[at % 2] as Counted));
		const verdicts = await Promise.all(calls);
		expect(verdicts.filter(({ admitted }) => admitted).length).toBe(5);
		expect((await timesOf(connection, "a"))?.length).toBe(5);
		expect((await timesOf(connection, "z"))?.length).toBe(5);
	});

	test("write nothing for a refused call", async () => {
		await using connection = await openDatabase();
		const state = () => connection.query("select key, xmin, xmax, times::text from limits");
		await admit(connection, { keys: ["a"], maxima: [1] });
		const before = await state();
		const refused = { keys: ["new", "a"], maxima: [5, 1], nowMs: START_MS + 1 };
		expect(await admit(connection, refused)).toEqual({ admitted: false, remaining: 0, resetSeconds: 10 });
		expect(await state()).toEqual(before);
	});

	test("delete expired counts, at most a given number at a time, and skip locked rows", async () => {
		await using connection = await openDatabase({ max: 2 });
		for (const key of ["a", "b", "c"]) {
			await admit(connection, { keys: [key], maxima: [1] });
		}
		const overMs = START_MS + (WINDOW_MS * 5) / 4;
		const stillMs = START_MS + WINDOW_MS - 1;
		expect(await forget(connection, overMs - 1)).toBe(0);
		const again = { keys: ["a"], maxima: [1], nowMs: stillMs };
		expect((await admit(connection, again)).admitted).toBe(false);
		await connection.sql.begin(async (transaction) => {
			await transaction`select from limits where key = 'b' for update`;
			expect(await forget(connection, overMs)).toBe(2);
		});
		expect(await timesOf(connection, "b")).toEqual([START_MS]);
		await admit(connection, { keys: ["c"], maxima: [1], nowMs: overMs });
		expect(await forget(connection, overMs, 1)).toBe(1);
		expect(await timesOf(connection, "c")).toEqual([overMs]);
	});

	test("keep the row of a key until its newest call has left the window", async () => {
		await using connection = await openDatabase();
		const quarterMs = WINDOW_MS / 4;
		for (const afterMs of [0, quarterMs, quarterMs + 1, 3 * quarterMs]) {
			const nowMs = START_MS + afterMs;
			await admit(connection, { keys: ["a"], nowMs });
			expect(await forget(connection, nowMs + WINDOW_MS - 1)).toBe(0);
		}
	});
});
