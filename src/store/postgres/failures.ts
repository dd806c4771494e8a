import { ResortError } from "../../lib/resort-error.ts";
import { storageUnavailable } from "../unavailable.ts";

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
		const code = fieldOf(cause, "code");
		super(`PostgreSQL: ${[state, code, constraint].filter(Boolean).join(" ")}`);
		this.name = "PostgresFailure";
		this.state = /^[0-9A-Z]{5}$/.test(state) ? state : "";
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
