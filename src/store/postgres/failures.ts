import { ResortError } from "../../lib/resort-error.ts";
import { storageUnavailable } from "../unavailable.ts";
import { explain } from "./words.ts";

/**
 * The classes of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) that mean that the server
 * cannot do now what it was asked: no connection, a standby, no resources, an operator's doing, its own failure.
 */
const AWAY = /^(08|25006|25P03|53|55P03|57|58|XX)/;

/** Another change was in the way, or a statement was prepared before the schema changed: once more may succeed. */
const IN_THE_WAY = /^(40001|40P01|23505|0A000)$/;

/** A failure of the server or of the way to it. What it says may hold values, so only its codes are told. */
export class PostgresFailure extends Error {
	/** SQLSTATE; empty when the connection failed. */
	readonly state: string;

	/** @param cause what the client reported */
	constructor(cause: unknown) {
		const state = fieldOf(cause, "errno");
		const constraint = fieldOf(cause, "constraint");
		super(explain(state, fieldOf(cause, "code"), constraint));
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

	/**
	 * The failure of what has no connection to run on.
	 * @param reason why there is none, in words; null when that is not known
	 */
	static disconnected(reason: string | null): PostgresFailure {
		const failure = new PostgresFailure(null);
		if (reason !== null) failure.message = reason;
		return failure;
	}

	/** Whether the connection is lost, or the server cannot serve now. */
	get isAway(): boolean {
		return this.state === "" || AWAY.test(this.state);
	}

	/** Whether the same change may succeed when it is run anew at once. */
	get isInTheWay(): boolean {
		return IN_THE_WAY.test(this.state);
	}
}

/** Why a database cannot be used though it answers, in words for a person. */
export class Unusable extends Error {}

/** What the caller of a rule is told: 503 when the server is away; what else the rule threw stays as it is. */
export function toResortError(error: unknown): unknown {
	if (error instanceof ResortError) return error;
	return error instanceof PostgresFailure && (error.isAway || error.isInTheWay)
		? storageUnavailable(error)
		: error;
}

function fieldOf(cause: unknown, name: string): string {
	if (typeof cause !== "object" || cause === null) return "";
	const value = (cause as Record<string, unknown>)[name];
	return typeof value === "string" ? value : "";
}
