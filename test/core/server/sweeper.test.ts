import { expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { Sweeper } from "../../../src/core/server/sweeper.ts";
import { memoryLog } from "../../support/log.ts";
import { until } from "../../support/until.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort({ maxStayMs: 30_000 });

test("the sweeper ends a stay on time that begins after a sweep", async () => {
	const sweeper = new Sweeper(resort.context, DAY_MS, memoryLog(resort.log));
	await sweeper.start();
	await resort.guest();
	const open = "SELECT id FROM stays WHERE checked_out_at IS NULL";
	expect(await resort.rows(open)).toHaveLength(1);
	resort.nowMs += 30_000;
	await until(async () => (await resort.rows(open)).length === 0);
	await sweeper.stop();
	expect(resort.log).toEqual([]);
});
