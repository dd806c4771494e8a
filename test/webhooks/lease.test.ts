import { expect, test } from "bun:test";
import { MINUTE_MS } from "../../src/lib/clock.ts";
import { Lease } from "../../src/webhooks/lease.ts";
import { useResort } from "../support/use-resort.ts";

const resort = useResort();

test("a lease has one holder, and is free as soon as the holder releases it", async () => {
	const take = async () => {
		const lease = new Lease(resort.context.store, "test", MINUTE_MS);
		await lease.renew();
		return lease;
	};
	const first = await take();
	expect(first.isHeld).toBe(true);
	expect((await take()).isHeld).toBe(false);
	await first.release();
	expect(first.isHeld).toBe(false);
	expect((await take()).isHeld).toBe(true);
});
