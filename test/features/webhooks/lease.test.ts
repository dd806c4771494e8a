import { expect, spyOn, test } from "bun:test";
import { Lease } from "../../../src/features/webhooks/lease.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();

test("a lease is renewed every 3 s, and expires for its holder 9 s after the last renewal", async () => {
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
	["does not take over the lease less than", 11_999],
	["takes over the lease", 12_000],
])("another instance %s 12 s after the last renewal", async (what, passedMs) => {
	using clock = spyOn(performance, "now").mockReturnValue(1_000);
	await new Lease(resort.context.store, "test").renew();
	const other = new Lease(resort.context.store, "test");
	await other.renew();
	expect(other.isHeld).toBe(false);
	clock.mockReturnValue(1_000 + passedMs);
	await other.renew();
	expect(other.isHeld).toBe(what.startsWith("takes"));
});
