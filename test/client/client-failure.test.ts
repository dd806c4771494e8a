import { expect, test } from "bun:test";
import { Failure } from "../../src/client/client-failure.ts";

test.each([
	[1, 400, false],
	[6, 428, false],
	[6, 429, true],
	[1, 430, false],
	[1, 499, false],
	[1, 500, true],
	[1, 503, true],
	[7, null, true],
	[1, null, false],
] as const)("a failure with exit code %i and status %p has isTemporary %p", (exitCode, status, expected) => {
	const refusal = status && { status, retryAfterSeconds: 0, field: "" };
	const failure = new Failure("", exitCode, "", refusal);
	expect(failure.isTemporary).toBe(expected);
});
