import { expect } from "bun:test";
import type { Answered } from "./resort.ts";
import { namesOf } from "./values.ts";

/** Expects up to three calls that make sense now. */
export function expectNext({ body: { next } }: Answered): void {
	expect(next.length).toBeWithin(1, 4);
	for (const call of next) {
		const { body: _, ...always } = call;
		expect(namesOf(always)).toBe("method path why");
		expect(call.method).toMatch(/^(GET|POST|PATCH|DELETE)$/);
		expect(call.path).toMatch(/^\/api\/[\w/?=-]+$/);
		expect(call.why).not.toBe("");
	}
}
