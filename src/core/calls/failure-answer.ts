import type { Logger } from "@logtape/logtape";
import { createCache } from "../lib/bounded-cache.ts";
import { type Clock, SECOND_MS } from "../lib/clock.ts";
import { type ErrorCode, ResortError } from "../lib/resort-error.ts";
import type { Answer, CallSource, RequestInfo } from "./call.ts";
import { WrittenBody } from "./written-body.ts";

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

/** A failure that answers a call in place of its operation. The fields that are null have defaults. */
export interface FailureChoice {
	readonly status: number | null;
	readonly error: string | null;
	/** The body of the answer, in place of JSON with the error. */
	readonly body: string | null;
	/** The media type of `body`. */
	readonly contentType: string | null;
	readonly retryAfterSeconds: number | null;
}

/** Thrown by a {@link CallHook} to answer a call with a failure. */
export class ChosenFailure extends Error {
	constructor(readonly choice: FailureChoice) {
		super("Injected fault");
	}
}

/** The error texts of chosen failures that specify only a status. */
const chosenErrors: Readonly<Record<number, string>> = {
	400: "Invalid request",
	401: "Unauthorized",
	403: "Forbidden",
	404: "Not found",
	413: "Body is too large",
	415: "Body is encoded",
	422: "Unprocessable content",
	429: "Rate limit exceeded",
	500: "Internal error",
	503: "Service unavailable",
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
	 * Converts an error to an answer. Logs outages and unexpected errors.
	 * @param headers additional header fields of the answer
	 */
	of(error: unknown, request: RequestInfo, headers: Answer["headers"] = {}): Answer {
		if (error instanceof ChosenFailure) {
			const { retryAfterSeconds, error: message, body } = error.choice;
			const status = error.choice.status ?? 500;
			const answer = failure(status, withRetryAfter(headers, retryAfterSeconds), {
				error,
				body: { error: message ?? chosenErrors[status] ?? error.message },
			});
			if (body === null) return answer;
			const contentType = { "content-type": error.choice.contentType ?? "" };
			return { ...answer, headers: { ...answer.headers, ...contentType }, body: WrittenBody.of(body) };
		}
		if (!(error instanceof ResortError)) {
			const { method, route, requestId } = request;
			this.log.error("request failed", { method, route, requestId, error: describe(error) });
			return failure(500, headers, { error, body: { error: "Internal error" } });
		}
		const { code, message, details } = error;
		// Only an outage has a cause. A refusal because of load is expected, and shown by the log line of its
		// request.
		if (code === "unavailable" && error.cause !== undefined) {
			this.#logOutage(error, request);
		}
		const { hint, field, retryAfterSeconds = null } = details;
		const fields = details.closesConnection ? { ...headers, connection: "close" } : headers;
		return failure(statuses[code], withRetryAfter(fields, retryAfterSeconds), {
			error,
			body: {
				error: message,
				...(hint !== undefined && { hint: String(hint) }),
				...(field !== undefined && { field }),
			},
		});
	}

	/** Converts the error of a call to its answer, and records whether the call had an invalid credential. */
	ofCall(error: unknown, { request, record }: CallSource, headers?: Answer["headers"]): Answer {
		if (error instanceof ResortError && error.details.refusesCredential) record.hasWrongCredential = true;
		return this.of(error, request, headers);
	}

	/** Logs an outage, unless the same message was logged recently. */
	#logOutage({ message, cause }: ResortError, request: RequestInfo): void {
		const last = this.#outages.get(message);
		const nowMs = this.clock();
		if (last !== undefined && Math.abs(nowMs - last.atMs) < OUTAGE_MS) {
			last.untold++;
			return;
		}
		this.#outages.set(message, { atMs: nowMs, untold: 0 });
		this.log.error(message, {
			route: request.route,
			requestId: request.requestId,
			error: String(cause),
			...(last !== undefined && last.untold > 0 && { untold: last.untold }),
		});
	}
}

function failure(status: number, headers: Answer["headers"], failed: NonNullable<Answer["failure"]>): Answer {
	return {
		status,
		headers: status === 401 ? { ...headers, "www-authenticate": "Bearer" } : headers,
		body: failed.body,
		failure: failed,
	};
}

function withRetryAfter(headers: Answer["headers"], seconds: number | null): Answer["headers"] {
	return seconds === null ? headers : { ...headers, "retry-after": String(seconds) };
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
