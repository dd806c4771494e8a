import { expect, test } from "bun:test";
import { once } from "../../src/lib/once.ts";

test("once does its work at the first use, and never again", () => {
	const calls: string[] = [];
	const value = {};
	const get = once(() => {
		calls.push("made");
		return value;
	});
	expect(calls).toEqual([]);
	expect(get()).toBe(value);
	expect(get()).toBe(value);
	expect(calls).toEqual(["made"]);
});

test.each([undefined, null, 0, ""])("once keeps %p too", (value) => {
	let calls = 0;
	const get = once(() => {
		calls++;
		return value;
	});
	expect([get(), get()]).toEqual([value, value]);
	expect(calls).toBe(1);
});

test("once tries again after a failure", () => {
	let calls = 0;
	const get = once(() => {
		calls++;
		if (calls === 1) throw new Error("not yet");
		return calls;
	});
	expect(get).toThrow("not yet");
	expect(get()).toBe(2);
	expect(get()).toBe(2);
});
