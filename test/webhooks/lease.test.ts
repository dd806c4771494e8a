import {
	afterEach,
	beforeEach,
	describe,
	expect,
	mock,
	spyOn,
	test,
} from "bun:test";
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

describe("by the clock that measures durations,", () => {
	let nowMs = MINUTE_MS;
	beforeEach(() => {
		spyOn(performance, "now").mockImplementation(() => nowMs);
	});
	afterEach(() => mock.restore());

	const open = () => new Lease(resort.context.store, "test");

	test("a lease is renewed every 3 s, and held for 9 s", async () => {
		const lease = open();
		for (const stepMs of [0, 2_999, 1]) {
			nowMs += stepMs;
			await lease.renew();
		}
		nowMs += 8_999;
		expect(lease.isHeld).toBe(true);
		nowMs += 1;
		expect(lease.isHeld).toBe(false);
	});

	test.each([
		[11_999, false],
		[12_000, true],
	])(
		"a lease that is not renewed for %d ms is taken over: %p",
		async (unchangedMs, isTaken) => {
			await open().renew();
			const other = open();
			await other.renew();
			expect(other.isHeld).toBe(false);
			nowMs += unchangedMs;
			await other.renew();
			expect(other.isHeld).toBe(isTaken);
		},
	);
});
