import { expect } from "bun:test";
import type { Answered } from "./resort.ts";
import { namesOf } from "./values.ts";

/** Expects a success with these fields, `ok` among them. */
export function expectAnswer(
	{ status, body }: Pick<Answered, "status" | "body">,
	expected: number,
	names: string,
): void {
	expect({ status, ok: body.ok }).toEqual({ status: expected, ok: true });
	expect(namesOf(body)).toBe(names);
}

/** Expects this error, and no other fields beside it than `field` and `hint`. */
export function expectRefusal(
	answer: Answered,
	status: number,
	error: string,
): void {
	const { status: given, body, headers } = answer;
	expect({ status: given, error: body.error }).toEqual({ status, error });
	expect(namesOf(body)).toMatch(/^error( field)?( hint)?$/);
	expect(headers.get("content-type")).toBe("application/json");
	expect(headers.get("www-authenticate")).toBe(
		status === 401 ? "Bearer" : null,
	);
}

/** Expects a 400 whose sentence names the field that broke its bound. */
export function expectBrokenBound(answer: Answered, field: string): void {
	expectRefusal(answer, 400, answer.body.error);
	expect(answer.body.error).toContain(field);
	expect(answer.body.field).toBe(field);
}
