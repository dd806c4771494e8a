import { expect } from "bun:test";
import type { Answered } from "./calls.ts";
import { namesOf } from "./values.ts";

/** Expects an error response: a body with `error`, and with no other fields than `field` and `hint`. */
export function expectFailure({ status, headers, text, body }: Answered, expected: number, what = ""): void {
	expect(status, `${what} ${text}`).toBe(expected);
	expect(headers.get("content-type")).toBe("application/json");
	expect(namesOf(body), text).toMatch(/^error( field)?( hint)?$/);
	expect(body.error).not.toBe("");
	for (const value of Object.values(body)) expect(value).toBeString();
	expect(headers.get("www-authenticate")).toBe(expected === 401 ? "Bearer" : null);
}

/** Expects an error response with this status and this text in `error`. */
export function expectRefusal(answer: Answered, status: number, error: string): void {
	const { status: given, body } = answer;
	expect({ status: given, error: body.error }).toEqual({ status, error });
	expectFailure(answer, status);
}

/** Expects a 400 response whose `error` names the field that is out of its bounds. */
export function expectBrokenBound(answer: Answered, field: string): void {
	expectRefusal(answer, 400, answer.body.error);
	expect(answer.body.error).toContain(field);
	expect(answer.body.field).toBe(field);
}

/** Matches what a response must not contain: stack frames, SQL, paths of files. */
export const LEAK =
	/\n\s+at |\bat (?!https?:)\S+:\d+|\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b|SQLITE|sqlite|node_modules|\.ts\b|\/src\/|\$bunfs/;
