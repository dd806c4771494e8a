import { expect, test } from "bun:test";
import { getLogger } from "@logtape/logtape";
import { DAY_MS } from "../../../src/lib/clock.ts";
import { Sweeper } from "../../../src/server/sweeper.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const context = useResort();
const guest = useGuest(context);

async function countSessions(): Promise<number> {
	const rows = await context.rows("SELECT count(*) AS count FROM sessions");
	return Number(rows[0]?.count);
}

test("the sweeper deletes sessions that have expired, and no others", async () => {
	const sweeper = new Sweeper(context.context, DAY_MS, getLogger());
	await context.login(guest.key);
	context.advance(DAY_MS);
	const later = await context.login(guest.key);
	context.advance(6 * DAY_MS - 1);
	await sweeper.sweep();
	expect(await countSessions()).toBe(2);
	context.advance(1);
	await sweeper.sweep();
	expect(await countSessions()).toBe(1);
	const me = await context.me({ session: later });
	expect(me.status).toBe(200);
});
