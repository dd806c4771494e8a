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
] as const)("a failure with the exit code %i and the HTTP status %i is %s", (exitCode, status, kind) => {
	const failure = new Failure("", exitCode, "", { status, retryAfterSeconds: 0, field: "" });
	expect(failure.isTemporary).toBe(kind === "temporary");
});

test.each([
	[7, "temporary"],
	[1, "not temporary"],
] as const)("a failure with the exit code %i and no response is %s", (exitCode, kind) => {
	expect(new Failure("", exitCode, "", null).isTemporary).toBe(kind === "temporary");
});
