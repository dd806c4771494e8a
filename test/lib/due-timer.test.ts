import { expect, test } from "bun:test";
import { DueTimer } from "../../src/lib/due-timer.ts";

function timerAt(clock: () => number) {
	const calls: number[] = [];
	let looks = 0;
	const timer = new DueTimer(
		() => {
			looks++;
			return clock();
		},
		() => calls.push(performance.now()),
	);
	return { timer, calls, looks: () => looks };
}

test("calls once the clock is there, and once only", async () => {
	const { timer, calls } = timerAt(Date.now);
	timer.set(Date.now() + 30);
	await Bun.sleep(10);
	expect(calls.length).toBe(0);
	await Bun.sleep(60);
	expect(calls.length).toBe(1);
});

test("does not call while the clock stands, and looks at it seldom", async () => {
	let nowMs = 1_000;
	const { timer, calls, looks } = timerAt(() => nowMs);
	timer.set(1_001);
	await Bun.sleep(150);
	expect(calls.length).toBe(0);
	expect(looks()).toBeLessThan(5);
	nowMs = 2_000;
	timer.set(1_001);
	await Bun.sleep(10);
	expect(calls.length).toBe(1);
});

test("calls at the last moment that was set, and not when it was stopped", async () => {
	const { timer, calls } = timerAt(Date.now);
	timer.set(Date.now());
	timer.set(Date.now() + 1e12);
	timer.set(Date.now() + 40);
	timer.stop();
	await Bun.sleep(60);
	expect(calls.length).toBe(0);
});
