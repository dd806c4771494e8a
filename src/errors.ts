/** What kind of failure it is; `http/errors.ts` alone knows which status each one becomes. */
export type ErrorCode =
	| "invalid"
	| "unauthorized"
	| "forbidden"
	| "not_found"
	| "too_large"
	| "rate_limited"
	| "unavailable";

/** Where a route keeps the schemas of its failures, by status. */
export const FAILURE_SCHEMAS = Symbol("failure schemas");

/** What an error may teach beside its message (decisions 2, "errors that teach"). */
export interface ErrorDetails {
	/** One sentence: the next call that would help, as method and path. */
	readonly hint?: string;
	/** The name of the field or parameter that broke a bound. */
	readonly field?: string;
	/** Whole seconds after which the same call may succeed. */
	readonly retryAfterSeconds?: number;
}

/** A failure that the service means to report; its message is written for the caller. */
export class ResortError extends Error {
	constructor(
		readonly code: ErrorCode,
		message: string,
		readonly details: ErrorDetails = {},
	) {
		super(message);
		this.name = "ResortError";
	}
}

/** Why the program cannot start; its message is one line for the person who starts it. */
export class StartError extends Error {
	/**
	 * @param exitCode 2 when a setting is wrong, 127 when a command cannot be started (as a shell says it),
	 * 1 for everything else (decisions 8, "Program")
	 */
	constructor(
		message: string,
		readonly exitCode: 1 | 2 | 127,
	) {
		super(message);
		this.name = "StartError";
	}
}

/** The failures that more than one resource reports (decisions 3). */
export const failures = {
	/** @param provider the address of the identity provider, undefined without one */
	noCredential: (provider: string | undefined) =>
		new ResortError("unauthorized", "Unauthorized", {
			hint:
				provider === undefined
					? "Send Authorization: Bearer <apiKey>; POST /api/agents gives a key."
					: `Send Authorization: Bearer <your central key>; enable the resort app at ${provider} to get one.`,
		}),
	/** @param provider the address of the identity provider, undefined without one */
	unauthorized: (provider: string | undefined) =>
		new ResortError("unauthorized", "Unauthorized", {
			hint:
				provider === undefined
					? "The credential is mistyped, replaced or ended, or its agent is deactivated; if none is left, register anew with POST /api/agents."
					: `The credential is mistyped or ended, is not for the resort, or its agent is deactivated; enable the resort app at ${provider} and use its key.`,
		}),
	agentNotFound: () =>
		new ResortError("not_found", "Agent not found", {
			hint: "An id is a UUID: GET /api/me tells your own, GET /api/lobby those of the guests.",
		}),
	notCheckedIn: () =>
		new ResortError("invalid", "Not checked in", {
			hint: "Call POST /api/checkin first.",
		}),
	storageUnavailable: () =>
		new ResortError("unavailable", "Storage unavailable", {
			retryAfterSeconds: 5,
		}),
} as const;
