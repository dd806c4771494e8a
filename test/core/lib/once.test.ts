import { expect, test } from "bun:test";
import { once } from "../../../src/core/lib/once.ts";

test("once calls its function at the first use, keeps the value, even undefined, and tries again after an error", () => {
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
