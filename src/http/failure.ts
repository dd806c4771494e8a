import type { Logger } from "@logtape/logtape";
import { type Clock, SECOND_MS } from "../lib/clock.ts";
import { type ErrorCode, ResortError } from "../lib/resort-error.ts";
import { Suppressor } from "../lib/suppressor.ts";
import { InjectedFault } from "./faults.ts";

const statusOf: Record<ErrorCode, number> = {
	invalid: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	too_large: 413,
	rate_limited: 429,
	unavailable: 503,
};

/** What failures say when their fault does not tell. */
const usualErrors: Readonly<Record<number, string>> = {
	400: "Invalid request",
	401: "Unauthorized",
	403: "Forbidden",
	404: "Not found",
	413: "Body is too large",
	429: "Rate limit exceeded",
	500: "Internal error",
	503: "Service unavailable",
};

/** The same outage is logged once in this time: on a full disk every write fails. */
const OUTAGE_MS = 5 * SECOND_MS;

/** A failure as it is answered. */
export interface FailureAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: object;
}

/** Where a failure happened, for the log. */
export interface Place {
	readonly method: string;
	readonly route: string;
	readonly requestId: string;
}

/**
 * The one place where a failure becomes an answer. A failure that nobody foresaw is 500, and its detail goes to
 * the log alone.
 */
export function createFailures(log: Logger, clock: Clock) {
	const outages = new Suppressor(OUTAGE_MS);
	return (error: unknown, place: Place): FailureAnswer => {
		if (error instanceof InjectedFault) return failureOfFault(error);
		if (!(error instanceof ResortError)) {
			log.error("request failed", { ...place, error: describe(error) });
			return { status: 500, headers: {}, body: { error: "Internal error" } };
		}
		const { code, message, cause, details } = error;
		if (code === "unavailable") {
			// By the message alone: an outage shows itself in many failures.
			const suppressed = outages.admit(message, clock());
			if (suppressed !== null) {
				const { route, requestId } = place;
				log.error(message, {
					route,
					requestId,
					...(cause !== undefined && { error: String(cause) }),
					...(suppressed > 0 && { untold: suppressed }),
				});
			}
		}
		return {
			status: statusOf[code],
			headers: headersOf(error),
			body: {
				error: message,
				...(details.hint !== undefined && { hint: details.hint }),
				...(details.field !== undefined && { field: details.field }),
			},
		};
	};
}

/** The failure that a fault with a status answers. */
function failureOfFault({ fault }: InjectedFault): FailureAnswer {
	const { error, retryAfterSeconds } = fault;
	const status = fault.status ?? 500;
	return {
		status,
		headers: {
			...(status === 401 && { "www-authenticate": "Bearer" }),
			...(retryAfterSeconds !== null && {
				"retry-after": String(retryAfterSeconds),
			}),
		},
		body: { error: error ?? usualErrors[status] ?? "Injected fault" },
	};
}

function headersOf({ code, details }: ResortError): Record<string, string> {
	const { retryAfterSeconds } = details;
	return {
		...(code === "unauthorized" && { "www-authenticate": "Bearer" }),
		...(retryAfterSeconds !== undefined && {
			"retry-after": String(retryAfterSeconds),
		}),
	};
}

function describe(error: unknown): string {
	return error instanceof Error
		? (error.stack ?? error.message)
		: String(error);
}
