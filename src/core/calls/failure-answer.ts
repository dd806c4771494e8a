import type { Logger } from "@logtape/logtape";
import { createCache } from "../lib/bounded-cache.ts";
import { type Clock, SECOND_MS } from "../lib/clock.ts";
import { type ErrorCode, ResortError } from "../lib/resort-error.ts";
import type { Answer, RequestRecord } from "./call.ts";

const statuses: Record<ErrorCode, number> = {
	invalid: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	too_large: 413,
	unsupported: 415,
	unprocessable: 422,
	rate_limited: 429,
	unavailable: 503,
	full: 503,
};

/**
 * The minimum time between two log lines with the same outage. On a full disk, for example, every write
 * fails.
 */
const OUTAGE_MS = 5 * SECOND_MS;
const MAX_OUTAGES = 100;

/** Converts errors to answers. An unexpected error becomes a 500, and its details are logged. */
export class FailureAnswers {
	/**
	 * What was logged about each outage, by error message: the time of the last log line, and the number of
	 * failures since then that were not logged.
	 */
	readonly #outages = createCache<{ atMs: number; untold: number }>(MAX_OUTAGES);

	constructor(
		private readonly log: Logger,
		private readonly clock: Clock,
	) {}

	/**
	 * Converts an error to an answer. Logs outages and unexpected errors, and records whether the request had an
	 * invalid credential.
	 * @param headers additional header fields of the answer
	 */
	of(error: unknown, record: RequestRecord, headers: Answer["headers"] = {}): Answer {
		if (!(error instanceof ResortError)) {
			const { method, route, requestId } = record;
			this.log.error("request failed", { method, route, requestId, error: describe(error) });
			return failureAnswer(500, headers, { error, body: { error: "Internal error" } });
		}
		const { code, message, details } = error;
		if (details.refusesCredential) record.hasWrongCredential = true;
		// Only an outage has a cause. A refusal because of load is expected, and shown by the log line of its
		// request.
		if (code === "unavailable" && error.cause !== undefined) {
			this.#logOutage(error, record);
		}
		const { hint, field, retryAfterSeconds } = details;
		const fields: Record<string, string> = { ...headers };
		if (details.closesConnection) fields.connection = "close";
		if (retryAfterSeconds !== undefined) fields["retry-after"] = String(retryAfterSeconds);
		return failureAnswer(statuses[code], fields, {
			error,
			body: {
				error: message,
				...(hint !== undefined && { hint: String(hint) }),
				...(field !== undefined && { field }),
			},
		});
	}

	/** Logs an outage, unless the same message was logged recently. */
	#logOutage({ message, cause }: ResortError, { route, requestId }: RequestRecord): void {
		const last = this.#outages.get(message);
		const nowMs = this.clock();
		if (last !== undefined && Math.abs(nowMs - last.atMs) < OUTAGE_MS) {
			last.untold++;
			return;
		}
		this.#outages.set(message, { atMs: nowMs, untold: 0 });
		this.log.error(message, {
			route,
			requestId,
			error: String(cause),
			...(last !== undefined && last.untold > 0 && { untold: last.untold }),
		});
	}
}

/** Creates the answer for a failure. */
export function failureAnswer(
	status: number,
	headers: Answer["headers"],
	failed: NonNullable<Answer["failure"]>,
): Answer {
	return {
		status,
		headers: status === 401 ? { ...headers, "www-authenticate": "Bearer" } : headers,
		body: failed.body,
		failure: failed,
	};
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
