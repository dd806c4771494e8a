import { parseApiKey } from "../lib/credential.ts";
import type { Fault } from "../testkit/faults.ts";

/** The header that names a request, in the request and in its answer. */
export const REQUEST_ID = "x-request-id";

/** The path of a request that no operation has. */
const UNKNOWN_PATH = "unknown";

/** The method of a request that has none of these, so that callers invent none. */
const OTHER_METHOD = "other";

const METHODS = new Set([
	...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
]);

/** A caller's request id that is taken over; every other is replaced. */
const SANE_REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** A request that has been answered. Nothing in it but the request id was chosen by the caller. */
export interface Exchange {
	readonly method: string;
	/** The template of its path, such as `/api/agents/:id`. */
	readonly route: string;
	/** Null where there is no operation. */
	readonly operationId: string | null;
	readonly status: number;
	/** When it came, by `performance.now()`. */
	readonly startedAt: number;
	readonly durationMs: number;
	/** Whether it waited because its caller asked for that. */
	readonly waited: boolean;
	/** Null when it was not authenticated. */
	readonly agentId: string | null;
	readonly requestId: string;
	/** What a test had armed for it; null for nothing. */
	readonly fault: Fault | null;
	/** The status that a refusal inside the answer has at other doors; null when there is none. */
	readonly refused: number | null;
}

/** Is told of a request that has been answered. */
export type Observer = (exchange: Exchange, request: Request) => void;

/** What a door finds out of a request bit by bit, as an {@link Exchange} tells it. */
export type Found = {
	-readonly [Name in
		| "agentId"
		| "waited"
		| "fault"
		| "refused"]: Exchange[Name];
};

/** What is known of a request for which nothing had to be found out. */
export const NOTHING_FOUND: Readonly<Found> = Object.freeze({
	agentId: null,
	waited: false,
	fault: null,
	refused: null,
});

/** The id of a request: its own when it is sane and no key, which would stand in the log; else a new one. */
export function requestIdFor({ headers }: Request): string {
	const given = headers.get(REQUEST_ID);
	return given !== null &&
		SANE_REQUEST_ID.test(given) &&
		parseApiKey(given) === null
		? given
		: Bun.randomUUIDv7();
}

/**
 * Tells an observer of a request.
 * @param place its operation, or its path alone where there is none; null for an unknown path
 * @param startedAt by `performance.now()`
 */
export function observe(
	observer: Observer,
	request: Request,
	response: Response,
	place: { readonly path: string; readonly id?: string | undefined } | null,
	startedAt: number,
	{ agentId, waited, fault, refused }: Readonly<Found>,
): void {
	const exchange: Exchange = {
		method: METHODS.has(request.method) ? request.method : OTHER_METHOD,
		route: place?.path ?? UNKNOWN_PATH,
		operationId: place?.id ?? null,
		status: response.status,
		startedAt,
		durationMs: performance.now() - startedAt,
		waited,
		agentId,
		requestId: response.headers.get(REQUEST_ID) ?? "",
		fault,
		refused,
	};
	observer(exchange, request);
}
