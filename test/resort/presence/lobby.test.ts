import { expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/clock.ts";
import { useResort } from "../../support/use-resort.ts";

const midnight = Date.UTC(2026, 2, 11);

const resort = useResort({ nowMs: midnight - 12 * HOUR_MS });

const at = (timeMs: number) => resort.advance(timeMs - resort.nowMs);
const total = async () =>
	(await resort.ask("GET", "/api/lobby")).body.totalGuestsToday;

test.each([
	["all yesterday", -3 * HOUR_MS, -1, 0],
	["since yesterday until after midnight", -HOUR_MS, 1, 1],
	["for no time at all at midnight", 0, 0, 1],
	["today", HOUR_MS, 2 * HOUR_MS, 1],
])("a visit %s counts among the guests of the day", async (...visit) => {
	const [, inMs, outMs, counted] = visit;
	at(midnight + Math.min(inMs, -HOUR_MS));
	const { key } = await resort.register();
	at(midnight + inMs);
	await resort.ask("POST", "/api/checkin", { key });
	at(midnight + outMs);
	await resort.ask("POST", "/api/checkout", { key });
	at(midnight + Math.max(outMs, 0));
	expect(await total()).toBe(counted);
	at(midnight + DAY_MS);
	expect(await total()).toBe(0);
});
