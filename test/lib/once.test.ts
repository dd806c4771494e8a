import { expect, test } from "bun:test";
import { once } from "../../src/lib/once.ts";

test.each([{}, undefined, null, 0, ""])(
	"once does its work at the first use and keeps %p",
	(value) => {
		let calls = 0;
		const get = once(() => {
			calls++;
			return value;
		});
		expect(calls).toBe(0);
		expect([get(), get()]).toEqual([value, value]);
		expect(calls).toBe(1);
	},
);

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
