import { expect, test } from "bun:test";
import { Failure } from "../../src/client/client-failure.ts";

test.each([
	[7, null, "temporary"],
	[1, null, "not temporary"],
	[6, 428, "not temporary"],
	[6, 429, "temporary"],
	[1, 430, "not temporary"],
	[1, 499, "not temporary"],
	[1, 500, "temporary"],
] as const)(
	"a failure with exit code %d and HTTP status %p (null: no response) is %s",
	(exitCode, status, kind) => {
		const refusal = status && { status, retryAfterSeconds: 0, field: "" };
		expect(new Failure("", exitCode, "", refusal).isTemporary).toBe(kind === "temporary");
	},
);
