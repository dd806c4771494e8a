import type { Logger } from "@logtape/logtape";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import { Elysia, ValidationError } from "elysia";
import { type Clock, SECOND_MS } from "../lib/clock.ts";
import { type ErrorCode, ResortError } from "../lib/resort-error.ts";
import { Told } from "../lib/told.ts";
import { REQUEST_ID } from "./exchange.ts";
import { requirement } from "./requirement.ts";

const statusOf: Record<ErrorCode, number> = {
	invalid: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	too_large: 413,
	rate_limited: 429,
	unavailable: 503,
};

/** The same outage is logged once in this time: on a full disk every write fails. */
const OUTAGE_MS = 5 * SECOND_MS;

/**
 * The one place where a failure becomes an answer. What the service did not mean to report is 500, and
 * its detail goes to the log alone.
 */
export function errorHandler(
	log: Logger,
	clock: Clock,
	hintFor: (method: string, path: string) => string,
) {
	const outages = new Told(OUTAGE_MS);
	return new Elysia({ name: "errors" }).onError(
		{ as: "global" },
		({ code, error, set, request, path, route }) => {
			const failure =
				code === "NOT_FOUND"
					? unknownPath(hintFor(request.method, path))
					: toResortError(error);
			if (failure === null) {
				set.status = 500;
				log.error("request failed", {
					method: request.method,
					route,
					requestId: set.headers[REQUEST_ID],
					error: describe(error),
				});
				return { error: "Internal error" };
			}
			const { hint, field, retryAfterSeconds } = failure.details;
			set.status = statusOf[failure.code];
			if (failure.code === "unauthorized") {
				set.headers["www-authenticate"] = "Bearer";
			}
			if (retryAfterSeconds !== undefined) {
				set.headers["retry-after"] = String(retryAfterSeconds);
			}
			if (failure.code === "unavailable") {
				const { cause, message } = failure;
				const untold = outages.tell(String(cause ?? message), clock());
				if (untold !== null) {
					log.error(message, {
						route,
						requestId: set.headers[REQUEST_ID],
						...(cause !== undefined && { error: String(cause) }),
						...(untold > 0 && { untold }),
					});
				}
			}
			return {
				error: failure.message,
				...(hint === undefined ? {} : { hint }),
				...(field === undefined ? {} : { field }),
			};
		},
	);
}

/**
 * An unforeseen failure as the log may hold it. Of an answer that does not fit its schema only the place
 * is told: the framework's message holds the whole answer, and so a key or a private postcard.
 */
function describe(error: unknown): string {
	if (error instanceof ValidationError) {
		const first = firstError(error);
		return `answer does not fit its schema: ${first?.path} ${first?.message}`;
	}
	return error instanceof Error
		? (error.stack ?? error.message)
		: String(error);
}

function unknownPath(hint: string): ResortError {
	return new ResortError("not_found", "Not found", { hint });
}

/** @returns null for a failure that nobody foresaw */
function toResortError(error: unknown): ResortError | null {
	if (error instanceof ResortError) return error;
	if (error instanceof ValidationError && error.type !== "response") {
		return brokenBound(error);
	}
	return null;
}

function brokenBound(error: ValidationError): ResortError {
	const first = firstError(error);
	if (first === null) return new ResortError("invalid", "Invalid request");
	const names = first.path.split("/").slice(1);
	if (names.length === 0) {
		const fields = Object.keys(first.schema.properties ?? {}).join(", ");
		return new ResortError("invalid", `Body must have one of: ${fields}`);
	}
	const field = names.filter((name) => !isIndex(name)).join(".");
	const subject = names.some(isIndex) ? `${field} items` : field;
	return new ResortError("invalid", `${subject} ${requirement(first)}`, {
		field,
	});
}

function firstError({ validator, value }: ValidationError): ValueError | null {
	if (!("Errors" in validator)) return null;
	let error = firstOf(validator.Errors(value));
	// Of a value-or-null the value's own error says more.
	while (error?.type === ValueErrorType.Union) {
		error = firstOf(error.errors[0] ?? []);
	}
	return error ?? null;
}

/** The first error that breaks a rule of ours: the framework alone minds unknown fields in a union. */
function firstOf(errors: Iterable<ValueError>): ValueError | undefined {
	for (const error of errors) {
		if (error.type !== ValueErrorType.ObjectAdditionalProperties) return error;
	}
	return undefined;
}

function isIndex(name: string): boolean {
	return /^\d+$/.test(name);
}
