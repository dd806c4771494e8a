import { expect, test } from "bun:test";
import { Failure } from "../../src/client/client-failure.ts";

test.each([
	[7, "no response", "temporary", null],
	[1, "no response", "not temporary", null],
	[6, "HTTP status 428", "not temporary", 428],
	[6, "HTTP status 429", "temporary", 429],
	[1, "HTTP status 430", "not temporary", 430],
	[1, "HTTP status 499", "not temporary", 499],
	[1, "HTTP status 500", "temporary", 500],
] as const)("a failure with exit code %d and %s is %s", (exitCode, _, kind, status) => {
	const refusal = status && { status, retryAfterSeconds: 0, field: "" };
	expect(new Failure("", exitCode, "", refusal).isTemporary).toBe(kind === "temporary");
});
