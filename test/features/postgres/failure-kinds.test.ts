/** The SQLSTATEs are listed in https://www.postgresql.org/docs/current/errcodes-appendix.html. */
import { expect, test } from "bun:test";
import type { ResortError } from "../../../src/core/lib/resort-error.ts";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { DeadlineExceeded } from "../../../src/features/postgres/deadline.ts";
import {
	cannotUse,
	failureOf,
	NotConnected,
	type PostgresFailure,
	toResortError,
	UnknownOutcome,
} from "../../../src/features/postgres/postgres-failure.ts";

/** The SQLSTATEs that the resort distinguishes, and others with similar codes. */
const STATES = (
	"08006 09000 0A000 0B000 22P02 23505 23502 24000 25006 25007 25P02 25P03 25P04 25P05 26000 " +
	"28P01 29000 39000 3D000 3F000 40001 40002 40P01 40P02 41000 42501 42502 42P01 53300 54000 " +
	"55P02 55P03 55P04 55000 57014 57P01 57P02 57P03 56000 58030 59000 XX000"
).split(" ");

const errorWith = (code: string) => Object.assign(new Error("(value)"), { code });

test.each<[name: string, test: (failure: PostgresFailure) => boolean, string]>([
	[
		"of an unavailable database",
		(failure) => failure.isUnavailable,
		"08006 25006 25P03 25P04 53300 55P03 57014 57P01 57P02 57P03 58030 XX000",
	],
	["of a lost connection", (failure) => failure.isConnectionLost, "08006 57P01 57P02"],
	["of a timeout", (failure) => failure.isTimeout, "55P03 57014"],
	["of a rolled back transaction", (failure) => failure.isRolledBack, "23505 23502 40001 40002 40P01 40P02"],
	["of a conflict", (failure) => failure.isConflict, "0A000 23505 40001 40P01"],
	[
		"for which the message of the server is kept",
		({ message }) => message.includes("(value)"),
		"08006 23505 23502 25006 25007 25P02 25P03 25P04 25P05 28P01 3D000 3F000 40001 40002 40P01 " +
			"40P02 42501 53300 55P02 55P03 55P04 55000 57014 57P01 57P02 57P03",
	],
])("failureOf recognizes the SQLSTATEs %s", (_, is, states) => {
	const failures = STATES.map((state) => failureOf(errorWith(state)));
	expect(failures.filter(is).map(({ state }) => state)).toEqual(states.split(" "));
});

test("errors without an SQLSTATE count as lost connections, except NotConnected, DeadlineExceeded and UnknownOutcome", () => {
	for (const error of [new Error("ended"), errorWith("EPIPE"), "ended"]) {
		const failure = failureOf(error);
		expect(failure).toMatchObject({ state: "", isConnectionLost: true, isUnavailable: true });
		expect(failureOf(failure)).toBe(failure);
	}
	const late = new DeadlineExceeded();
	const unknown = new UnknownOutcome("ended");
	for (const other of [new NotConnected("refused", "57P01"), late, unknown]) {
		expect(other.isConnectionLost).toBe(false);
		expect(toResortError(other)).toMatchObject({ code: "unavailable" });
	}
	// A server that refuses the login counts as unavailable.
	expect(new NotConnected("refused", "28P01").isUnavailable).toBe(true);
	const hintOf = (error: Error) => (toResortError(error) as ResortError).details.hint;
	expect(hintOf(unknown)).toBeString();
	expect(hintOf(late)).toBeUndefined();
	const own = new Error("own");
	expect(toResortError(own)).toBe(own);
	expect(cannotUse("p", own)).toBe(own);
	expect(cannotUse("p", failureOf(own))).toBeInstanceOf(StartError);
});
