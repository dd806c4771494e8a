import { expect, test } from "bun:test";
import { Failure } from "../../src/client/client-failure.ts";

test.each([
	[1, 400, "not temporary"],
	[6, 428, "not temporary"],
	[6, 429, "temporary"],
	[1, 430, "not temporary"],
	[1, 499, "not temporary"],
	[1, 500, "temporary"],
	[1, 503, "temporary"],
	[7, null, "temporary"],
	[1, null, "not temporary"],
] as const)("a failure with the exit code %i and the HTTP status %p is %s", (exitCode, status, kind) => {
	const refusal = status && { status, retryAfterSeconds: 0, field: "" };
	const failure = new Failure("", exitCode, "", refusal);
	expect(failure.isTemporary).toBe(kind === "temporary");
});
