import { ResortError } from "../../lib/resort-error.ts";
import { storageUnavailable } from "../unavailable.ts";
import { explain } from "./words.ts";

/**
 * The classes of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) that mean that the server
 * cannot do now what it was asked: no connection, a standby, no resources, an operator's doing, its own failure.
 */
const AWAY = /^(08|25006|25P0[34]|53|55P03|57|58|XX)/;

/** Another change was in the way, or a statement was prepared before the schema changed: once more may succeed. */
const IN_THE_WAY = /^(40001|40P01|23505|0A000)$/;

/** The connection is lost, also where the server did not say so: the client tells a loss as 57P01. */
const LOST = /^($|08|57P0[12])/;

/** The server has undone the transaction at its commit. */
const UNDONE = /^(23|40)/;

/** What a caller is told whose change may have been made. */
const UNKNOWN_HINT =
	"It is not known whether this was done. Look before you repeat the call.";

/** A failure of the server or of the way to it. What it says may hold values, so only its codes are told. */
export class PostgresFailure extends Error {
	/** SQLSTATE; empty when the connection failed. */
	readonly state: string;

	/**
	 * @param cause what the client reported; null when it reported nothing
	 * @param what happened, in words, when there are no codes
	 */
	constructor(cause: unknown, what?: string) {
		const state = fieldOf(cause, "errno");
		const constraint = fieldOf(cause, "constraint");
		const code = fieldOf(cause, "code");
		const isTold = state === "" && code === "" && what !== undefined;
		super(isTold ? what : explain(state, code, constraint));
		this.name = "PostgresFailure";
		this.state = /^[0-9A-Z]{5}$/.test(state) ? state : "";
	}

	/**
	 * The failure of several servers, each of which was tried.
	 * @param failures the last one decides what kind of failure it is
	 */
	static ofAll(
		failures: readonly (readonly [host: string, failure: PostgresFailure])[],
	): PostgresFailure {
		const last = failures.at(-1)?.[1] ?? new PostgresFailure(null);
		if (failures.length <= 1) return last;
		const all = new PostgresFailure({ errno: last.state });
		all.message = failures
			.map(([host, { message }]) => `${host}: ${message}`)
			.join("; ");
		return all;
	}

	/** Whether the connection is lost, or the server cannot serve now. */
	get isAway(): boolean {
		return this.state === "" || AWAY.test(this.state);
	}

	/** Whether the connection is lost: on another one the same may succeed at once. */
	get isLost(): boolean {
		return LOST.test(this.state);
	}

	/** Whether something was locked for too long. */
	get isLocked(): boolean {
		return this.state === "55P03" || this.state === "57014";
	}

	/** As the answer to a COMMIT: whether the server says that nothing of the change has happened. */
	get isUndone(): boolean {
		return UNDONE.test(this.state);
	}

	/** Whether the same change may succeed when it is run anew at once. */
	get isInTheWay(): boolean {
		return IN_THE_WAY.test(this.state);
	}
}

/** A commit whose answer did not come: the change may have been made, so it is never run anew. */
export class UnknownOutcome extends PostgresFailure {
	/** @param cause why; null when nothing was heard in time */
	constructor(cause: PostgresFailure | null) {
		const reason = cause === null ? "" : `: ${cause.message}`;
		super({ errno: cause?.state ?? "" }, `no answer to a commit${reason}`);
	}
}

/** No connection was free in time: nothing is lost, and to try again would only take longer. */
export class NoneFree extends PostgresFailure {
	constructor() {
		super(null, "all connections of this instance were in use for too long");
	}

	override get isLost(): boolean {
		return false;
	}
}

/** Why a database cannot be used though it answers, in words for a person. */
export class Unusable extends Error {}

/** What the caller of a rule is told: 503 when the server is away; what else the rule threw stays as it is. */
export function toResortError(error: unknown): unknown {
	if (error instanceof ResortError) return error;
	if (error instanceof UnknownOutcome) {
		return storageUnavailable(error, UNKNOWN_HINT);
	}
	return error instanceof PostgresFailure && (error.isAway || error.isInTheWay)
		? storageUnavailable(error)
		: error;
}

function fieldOf(cause: unknown, name: string): string {
	if (typeof cause !== "object" || cause === null) return "";
	const value = (cause as Record<string, unknown>)[name];
	return typeof value === "string" ? value : "";
}
