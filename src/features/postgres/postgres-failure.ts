import { codeOf, messageOf, reasonOf } from "../../core/lib/error-reason.ts";
import { StartError } from "../../core/lib/start-error.ts";
import { storageUnavailable } from "../../core/store/store.ts";

/** Matches the SQLSTATE classes whose messages may name tables, but contain no values of rows. */
const WITHOUT_VALUES = /^(08|23|25|28|3D|3F|40|42501|53|55|57)/;

/** The SQLSTATE of a statement that was prepared before the schema changed, and always fails from then on. */
export const STALE_PLAN = "0A000";

const UNKNOWN_OUTCOME_HINT = "It is not known whether the change was made. Check before you repeat the call.";

/**
 * A failure of the server or the connection, or a database that cannot be used. Its message contains no
 * values of rows. The states are listed in https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
export class PostgresFailure extends Error {
	/** @param state the SQLSTATE; empty if the connection failed */
	constructor(
		message: string,
		readonly state = "",
	) {
		super(message);
		this.name = "PostgresFailure";
	}

	/**
	 * Whether the database is unavailable because of the connection, a standby, a timeout, missing resources, a
	 * shutdown or an internal error.
	 */
	get isUnavailable(): boolean {
		return /^($|08|25006|25P0[34]|53|55P03|57|58|XX)/.test(this.state);
	}

	/** Whether an open connection was lost. Retrying on another connection may succeed at once. */
	get isConnectionLost(): boolean {
		// The subclasses stand for other failures: no connection, no response in time, or an unknown outcome.
		const isOfStatement = this.constructor === PostgresFailure;
		return isOfStatement && /^($|08|57P0[12])/.test(this.state);
	}

	get isTimeout(): boolean {
		return this.state === "55P03" || this.state === "57014";
	}

	/** Whether the failure of a COMMIT means that the server has rolled the transaction back. */
	get isRolledBack(): boolean {
		return /^(23|40)/.test(this.state);
	}

	/**
	 * Whether a retry can succeed at once: after a serialization failure, a deadlock, a unique violation or a
	 * stale plan.
	 */
	get isConflict(): boolean {
		return /^(40001|40P01|23505|0A000)$/.test(this.state);
	}
}

/** Thrown if no connection could be opened, or no connection became free in time. No statement was sent. */
export class NotConnected extends PostgresFailure {
	override get isUnavailable(): boolean {
		return true;
	}
}

/** Thrown if a COMMIT gets no response. The transaction may have been committed, so it is not repeated. */
export class UnknownOutcome extends PostgresFailure {
	constructor(reason: string) {
		super(`no response to a commit: ${reason}`);
	}
}

/** Converts an error of the client library `pg` to a PostgresFailure. */
export function failureOf(error: unknown): PostgresFailure {
	if (error instanceof PostgresFailure) return error;
	const code = codeOf(error);
	// The codes of socket errors begin with E. They are not SQLSTATEs, even if they have five letters.
	if (!/^(?!E)[0-9A-Z]{5}$/.test(code)) {
		return new PostgresFailure(reasonOf(error));
	}
	const reason = WITHOUT_VALUES.test(code) ? messageOf(error) : "the database returned an error";
	return new PostgresFailure(`${reason} (${code})`, code);
}

/** Returns the message of a failure at startup, with the usual remedy if there is one. */
export function explain({ message }: PostgresFailure): string {
	if (/ECONNREFUSED/.test(message)) {
		return `${message}: check that the server is running and that its listen_addresses include this address`;
	}
	return /certificate/.test(message)
		? `${message}: add ?sslrootcert=FILE to the URL, where FILE is the server's CA certificate`
		: message;
}

/** Converts a PostgresFailure to an error that ends the program. Returns other errors unchanged. */
export function cannotUse(path: string, error: unknown): unknown {
	return error instanceof PostgresFailure
		? new StartError(`cannot use the database ${path}: ${explain(error)}`)
		: error;
}

/** Converts an outage, a conflict or an unknown outcome to `unavailable`. Returns other errors unchanged. */
export function toResortError(error: unknown): unknown {
	if (error instanceof UnknownOutcome) {
		return storageUnavailable(error, UNKNOWN_OUTCOME_HINT);
	}
	return error instanceof PostgresFailure && (error.isUnavailable || error.isConflict)
		? storageUnavailable(error)
		: error;
}
