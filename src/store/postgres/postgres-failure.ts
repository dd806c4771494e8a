import { isRecord } from "../../lib/record.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { StartError } from "../../lib/start-error.ts";
import { storageUnavailable } from "../unavailable.ts";

/**
 * The SQLSTATE classes (https://www.postgresql.org/docs/current/errcodes-appendix.html) with which a server refuses
 * work for now: connection exceptions, a standby, timeouts, no resources, operator intervention, internal errors.
 */
const UNAVAILABLE = /^(08|25006|25P0[34]|53|55P03|57|58|XX)/;

/** Serialization failure, deadlock, unique violation, and a statement prepared before the schema changed. */
const CONFLICT = /^(40001|40P01|23505|0A000)$/;

const CONNECTION_LOST = /^($|08|57P0[12])/;

/** States of a COMMIT that the server has rolled back. */
const ROLLED_BACK = /^(23|40)/;

const UNKNOWN_OUTCOME_HINT =
	"It is not known whether this was done. Look before you repeat the call.";

const UNREACHABLE =
	"it cannot be reached: nothing listens there, or no machine has this name";
const REFUSED_PASSWORD =
	"the server refuses the password, or none was given, or it knows no such user";
const UNKNOWN_AUTHORITY =
	"the server's certificate is of an authority that is not known: name its file by sslrootcert";
const LOST = "the connection was lost";
const CONFLICTING_CHANGE = "another change was in the way";

/** Messages for SQLSTATEs and for the error codes of sockets and TLS. */
const messages: Readonly<Record<string, string>> = {
	"08P01": "what listens there does not understand PostgreSQL's protocol",
	"25006": "the server takes no writes: it is a standby, or read-only",
	"25P03": "the transaction was idle for too long",
	"28000":
		"the server does not let this user in: there is no such user, it may not log in, or pg_hba.conf has no line for it",
	"28P01": REFUSED_PASSWORD,
	"3D000": "the server has no such database",
	"3F000": "the user has no schema of its own: it should own the database",
	"40001": CONFLICTING_CHANGE,
	"40P01": CONFLICTING_CHANGE,
	"40000": "the server rolled the change back",
	"42501": "the user lacks a right: it should own the database",
	"53100": "the server's disk is full",
	"53200": "the server is out of memory",
	"53300": "all connections that the user may have are taken",
	"55000": "the database takes no connections",
	"55P03": "a lock was not free in time",
	"57014": "the server did not finish in time",
	"57P01": "an administrator stopped the server, or this connection",
	"57P02": "the server has crashed",
	"57P03": "the server is starting or stopping",
	"57P04": "the database was dropped",
	EAI_AGAIN: UNREACHABLE,
	ECONNREFUSED: UNREACHABLE,
	EHOSTUNREACH: UNREACHABLE,
	ECONNRESET: LOST,
	ENETUNREACH: UNREACHABLE,
	ENOENT: UNREACHABLE,
	ENOTFOUND: UNREACHABLE,
	EPIPE: LOST,
	CERT_HAS_EXPIRED: "the server's certificate has expired",
	CERT_NOT_YET_VALID:
		"the server's certificate is not valid yet: is the clock right?",
	DEPTH_ZERO_SELF_SIGNED_CERT:
		"the server's certificate is signed by itself: name it by sslrootcert",
	ERR_TLS_CERT_ALTNAME_INVALID:
		"the server's certificate is for another host name",
	SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

/** Messages for errors of the client library that have no code. */
const clientMessages: readonly (readonly [RegExp, string])[] = [
	[/time(d )?out/i, "it does not answer in time"],
	[/does not support SSL/, "the server has no TLS, which sslmode demands"],
	[
		/SSL connection|Unknown message|unexpected .* message/,
		"what listens there is no PostgreSQL server",
	],
	[/password must be/, REFUSED_PASSWORD],
	[/signature|nonce/, "it cannot prove that it knows the password"],
	[
		/SASL|authentication/i,
		"the server wants a login that resort does not know; scram-sha-256 is best",
	],
];

/** A failure of the server or of the connection. Its message contains no values: those of the server may. */
export class PostgresFailure extends Error {
	/** SQLSTATE; empty if the connection failed. */
	readonly state: string;
	/** Subclasses are failures to connect, to wait, or to learn the outcome. */
	readonly #isOfStatement: boolean;

	/**
	 * @param cause what the client library reported
	 * @param message replaces the message that is derived from the cause
	 */
	constructor(cause: unknown, message?: string) {
		const code = fieldOf(cause, "code");
		super(message ?? explain(code, cause));
		this.name = "PostgresFailure";
		this.#isOfStatement = new.target === PostgresFailure;
		// The codes of sockets begin with E and are no SQLSTATE, even if they have five letters.
		this.state = /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : "";
	}

	/** Whether the database cannot be used at the moment. */
	get isUnavailable(): boolean {
		return this.state === "" || UNAVAILABLE.test(this.state);
	}

	/** Whether a connection that was open was lost; on another one the same may succeed at once. */
	get isConnectionLost(): boolean {
		return this.#isOfStatement && CONNECTION_LOST.test(this.state);
	}

	/** Whether a lock or a statement timed out. */
	get isTimeout(): boolean {
		return this.state === "55P03" || this.state === "57014";
	}

	/** For a COMMIT: whether the server has rolled the transaction back. */
	get isRolledBack(): boolean {
		return ROLLED_BACK.test(this.state);
	}

	/** Whether a repetition may succeed at once. */
	get isConflict(): boolean {
		return CONFLICT.test(this.state);
	}
}

/** No connection could be opened, or none became free in time. Nothing was sent. */
export class NotConnected extends PostgresFailure {
	/** @param canRepeat whether another attempt at the same server may succeed, without TLS */
	constructor(
		cause: unknown,
		message?: string,
		readonly canRepeat = false,
	) {
		super(cause, message);
	}

	override get isUnavailable(): boolean {
		return true;
	}
}

/** A COMMIT without an answer. The change may have been made, so it is not repeated. */
export class UnknownOutcome extends PostgresFailure {
	/** @param cause null if there was no answer in time */
	constructor(cause: PostgresFailure | null) {
		const reason = cause === null ? "" : `: ${cause.message}`;
		super({ code: cause?.state }, `no answer to a commit${reason}`);
	}
}

/** A reachable database that a resort cannot use. The message says why. */
export class Unusable extends Error {}

/** Returns the error of a program that cannot use a database for a known reason. Other errors stay. */
export function cannotUse(path: string, error: unknown): unknown {
	const isExpected =
		error instanceof PostgresFailure || error instanceof Unusable;
	return isExpected
		? new StartError(`cannot use the database ${path}: ${error.message}`, 1)
		: error;
}

/** Maps what a task threw to the error of the call: 503 if the database is unavailable. Other errors stay. */
export function toResortError(error: unknown): unknown {
	if (error instanceof ResortError) return error;
	if (error instanceof UnknownOutcome) {
		return storageUnavailable(error, UNKNOWN_OUTCOME_HINT);
	}
	return error instanceof PostgresFailure &&
		(error.isUnavailable || error.isConflict)
		? storageUnavailable(error)
		: error;
}

function explain(code: string, cause: unknown): string {
	const constraint = fieldOf(cause, "constraint");
	const codes = [code, constraint].filter((part) => part !== "").join(" ");
	if (Object.hasOwn(messages, code)) return `${messages[code]} (${codes})`;
	if (code !== "") return `the database reports a failure (${codes})`;
	const reported = fieldOf(cause, "message");
	const [, known] =
		clientMessages.find(([pattern]) => pattern.test(reported)) ?? [];
	return known ?? LOST;
}

function fieldOf(cause: unknown, name: string): string {
	const value = isRecord(cause) ? cause[name] : undefined;
	return typeof value === "string" ? value : "";
}
