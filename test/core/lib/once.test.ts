import { expect, test } from "bun:test";
import { once } from "../../../src/core/lib/once.ts";

test("once computes a value at its first use, keeps the value even if it is undefined, and retries after an error", () => {
	let calls = 0;
	const get = once(() => {
		calls++;
		if (calls === 1) throw new Error("not yet");
		return undefined;
	});
	expect(calls).toBe(0);
	expect(get).toThrow("not yet");
	expect([get(), get()]).toEqual([undefined, undefined]);
	expect(calls).toBe(2);
});
