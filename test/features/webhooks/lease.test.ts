import { expect, spyOn, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { Lease } from "../../../src/features/webhooks/lease.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();

test("a lease has one holder, and is free once the holder releases it", async () => {
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

test("a lease is renewed every 3 s, and expires for its holder after 9 s", async () => {
	using clock = spyOn(performance, "now");
	const lease = new Lease(resort.context.store, "test");
	for (const nowMs of [1_000, 3_999, 4_000]) {
		clock.mockReturnValue(nowMs);
		await lease.renew();
	}
	clock.mockReturnValue(12_999);
	expect(lease.isHeld).toBe(true);
	clock.mockReturnValue(13_000);
	expect(lease.isHeld).toBe(false);
});

test.each([
	[11_999, false],
	[12_000, true],
])("after %d ms without a renewal, another instance takes the lease over: %p", async (passedMs, isTaken) => {
	using clock = spyOn(performance, "now").mockReturnValue(1_000);
	await new Lease(resort.context.store, "test").renew();
	const other = new Lease(resort.context.store, "test");
	await other.renew();
	expect(other.isHeld).toBe(false);
	clock.mockReturnValue(1_000 + passedMs);
	await other.renew();
	expect(other.isHeld).toBe(isTaken);
});
