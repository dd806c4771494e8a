import { expect } from "bun:test";
import type { Answered } from "./resort.ts";

const ERROR_KEYS = ["error", "hint", "field"];

/**
 * Holds that an answer is a failure as every failure has to be.
 * @param what is shown when it is not
 */
export function expectFailure(
	{ status, headers, text, body }: Answered,
	expected: number,
	what = "",
): void {
	expect(status, `${what} ${text}`).toBe(expected);
	expect(headers.get("content-type")).toBe("application/json");
	expect(typeof body.error).toBe("string");
	expect(body.error).not.toBe("");
	for (const [key, value] of Object.entries(body)) {
		expect(ERROR_KEYS, text).toContain(key);
		expect(typeof value).toBe("string");
	}
	expect(headers.get("www-authenticate")).toBe(
		expected === 401 ? "Bearer" : null,
	);
}
