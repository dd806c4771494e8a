import { expect, test } from "bun:test";
import { MovableClock } from "../../src/testkit/movable-clock.ts";

const START_MS = Date.UTC(2026, 2, 10, 12);

test("a frozen clock shows the time to which it is set, until a reset", async () => {
	const clock = new MovableClock(START_MS, true);
	await Bun.sleep(5);
	expect(clock.now()).toBe(START_MS);
	clock.setTo(START_MS + 1_000);
	await Bun.sleep(5);
	expect(clock.now()).toBe(START_MS + 1_000);
	clock.reset();
	expect(clock.now()).toBe(START_MS);
});

test("a clock runs on from its time when it is no longer frozen", async () => {
	const clock = new MovableClock(START_MS, true);
	clock.freeze(false);
	await Bun.sleep(30);
	expect(clock.now() - START_MS).toBeWithin(20, 10_000);
	clock.reset();
	expect(clock.isFrozen).toBe(true);
	expect(clock.now()).toBe(START_MS);
});

test("a frozen clock without a start returns to the time at which it was frozen", async () => {
	const clock = new MovableClock(null, true);
	const startMs = clock.now();
	await Bun.sleep(5);
	clock.reset();
	expect(clock.now()).toBe(startMs);
});
