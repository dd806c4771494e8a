import { afterEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { endOverdueStays } from "../../../src/resort/stays/service.ts";
import { type Registered, TestResort } from "../../support/resort.ts";

let resort: TestResort;

afterEach(() => resort.close());

const current = ({ key }: Registered) =>
	resort.ask("GET", "/api/stays/current", { key });
const sweep = () => endOverdueStays(resort.context);

describe("totalGuestsToday and the longest stay allowed", () => {
	const midnight = Date.UTC(2026, 2, 11);
	for (const [name, limitMs, total] of [
		["ended a millisecond before midnight", midnight - 1, 0],
		["ended a millisecond after midnight", midnight + 1, 1],
	] as const) {
		test(`counts ${total} for a stay that ${name}, swept or not`, async () => {
			resort = new TestResort({
				maxStayMs: HOUR_MS,
				nowMs: limitMs - HOUR_MS,
			});
			await resort.guest();
			resort.advance(2 * HOUR_MS);
			for (const before of [() => {}, sweep]) {
				await before();
				const { body } = await resort.ask("GET", "/api/lobby");
				expect(body.guests).toEqual([]);
				expect(body.totalGuestsToday).toBe(total);
			}
		});
	}

	test("is the same before and after a sweep for a stay that ended at midnight", async () => {
		const nowMs = midnight - HOUR_MS;
		resort = new TestResort({ maxStayMs: HOUR_MS, nowMs });
		await resort.guest();
		resort.advance(2 * HOUR_MS);
		const { body } = await resort.ask("GET", "/api/lobby");
		await sweep();
		const swept = await resort.ask("GET", "/api/lobby");
		expect(swept.body.totalGuestsToday).toBe(body.totalGuestsToday);
	});
});

describe("a sweep", () => {
	test("tells the end of each stay once, and nothing of an agent that is gone", async () => {
		resort = new TestResort({ maxStayMs: HOUR_MS });
		const [ada, bob] = [await resort.guest(), await resort.guest()];
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		resort.advance(HOUR_MS);
		await Promise.all([sweep(), sweep()]);
		await sweep();
		const told = await resort.rows(
			"SELECT agent_id, type FROM events ORDER BY id",
		);
		expect(told).toEqual([
			{ agent_id: ada.id, type: "agent.relaxing" },
			{ agent_id: bob.id, type: "agent.relaxing" },
			{ agent_id: ada.id, type: "agent.gone" },
			{ agent_id: bob.id, type: "agent.available" },
		]);
		const open = "SELECT id FROM stays WHERE checked_out_at IS NULL";
		expect(await resort.rows(open)).toEqual([]);
	});

	test("closes what is overdue, as of its limit, and nothing else", async () => {
		resort = new TestResort({ maxStayMs: HOUR_MS });
		const arrivedMs = resort.nowMs;
		const ada = await resort.guest();
		resort.advance(30 * MINUTE_MS);
		const bob = await resort.guest();
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		resort.advance(45 * MINUTE_MS);
		await sweep();
		const rows = await resort.rows(
			"SELECT agent_id, checked_out_at FROM stays ORDER BY seq",
		);
		expect(rows).toEqual([
			{ agent_id: ada.id, checked_out_at: arrivedMs + HOUR_MS },
			{ agent_id: bob.id, checked_out_at: null },
		]);
	});
});

describe("the longest stay allowed", () => {
	test("of a fraction of an hour closes a stay at its moment", async () => {
		resort = new TestResort({ maxStayMs: 30 * MINUTE_MS });
		const guest = await resort.guest();
		resort.advance(30 * MINUTE_MS - 1);
		expect((await current(guest)).status).toBe(200);
		resort.advance(1);
		expect((await current(guest)).status).toBe(404);
	});

	test("is never when nothing is said", async () => {
		resort = new TestResort();
		const guest = await resort.guest();
		resort.advance(3650 * DAY_MS);
		await sweep();
		expect((await current(guest)).status).toBe(200);
	});
});
