import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { WaitSignal } from "../../../src/core/lib/wait-signal.ts";

test("WaitSignal.next returns true once `wake` is called, before or during the wait, and false once `end` is called", async () => {
	let begun = 0;
	let waits = 0;
	const signal = new WaitSignal(undefined, () => begun++);
	const next = async () => {
		const goesOn = await signal.next();
		waits++;
		return goesOn;
	};
	signal.wake();
	signal.wake();
	expect(await next()).toBe(true);
	expect(begun).toBe(0);
	for (let wait = 1; wait <= 2; wait++) {
		const waiting = next();
		await setImmediate();
		expect([begun, waits]).toEqual([1, wait]);
		signal.wake();
		expect(await waiting).toBe(true);
		// `wake` has ended one call of `next`, but not the signal: `next` can wait again.
		expect(signal.isOver).toBe(false);
	}
	const last = next();
	signal.end();
	expect(await last).toBe(false);
	expect(signal.isOver).toBe(true);
	expect(await next()).toBe(false);
});

test("WaitSignal.next returns false once the duration of the signal is over", async () => {
	expect(await new WaitSignal(1).next()).toBe(false);
});
