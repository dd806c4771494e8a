import { expect, spyOn, test } from "bun:test";
import { Sweeper } from "../../src/cli/sweeper.ts";
import { DAY_MS, MINUTE_MS } from "../../src/core/lib/clock.ts";
import { memoryLog } from "../support/log.ts";
import { TestResort } from "../support/resort.ts";
import { until } from "../support/until.ts";

test.each([
	["30 seconds (`--max-stay`)", 30_000, {}],
	["1 minute (`maxMinutes`)", 0, { maxMinutes: 1 }],
])("the sweeper ends a stay of %s on time, even if it begins after a sweep", async (_, maxStayMs, body) => {
	const setReal = setTimeout;
	// Runs a timer with the longest acceptable delay at once, so that the test need not wait. With a longer
	// delay, the test fails.
	using _timer = spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) =>
		setReal(run, ms === (maxStayMs || MINUTE_MS) ? 0 : ms)) as typeof setTimeout);
	await using resort = new TestResort({ maxStayMs });
	const sweeper = new Sweeper(resort.context, DAY_MS, memoryLog(resort.log));
	await sweeper.start();
	const { key } = await resort.register();
	await resort.call("POST", "/api/checkin", { key, body });
	const open = "SELECT id FROM stays WHERE checked_out_at IS NULL";
	expect(await resort.rows(open)).toHaveLength(1);
	resort.nowMs += maxStayMs || MINUTE_MS;
	await until(async () => (await resort.rows(open)).length === 0);
	await sweeper.stop();
	expect(resort.log).toEqual([]);
});
