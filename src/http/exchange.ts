import { Elysia } from "elysia";
import type { HttpState, RequestContext } from "./state.ts";

/** The header that names a request, in the request and in its answer. */
export const REQUEST_ID = "x-request-id";

/** The route of a request whose path or method is unknown. */
const UNKNOWN_ROUTE = "unknown";

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
	readonly status: number;
	readonly durationMs: number;
	/** Null when it was not authenticated. */
	readonly agentId: string | null;
	readonly requestId: string;
}

/** What answers a request. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** Gives every request its id, which every answer tells, and notes it in the state. */
export const requestIds = (state: HttpState) =>
	new Elysia({ name: "request-ids" }).onRequest((context) => {
		context.set.headers[REQUEST_ID] = requestIdFor(context.request);
		state.latest = context;
	});

/** The id of a request: its own when it is sane, else a new one. */
export function requestIdFor({ headers }: Request): string {
	const given = headers.get(REQUEST_ID);
	return given !== null && SANE_REQUEST_ID.test(given)
		? given
		: Bun.randomUUIDv7();
}

/** The id that a request was given. */
export function requestIdOf({ set }: RequestContext): string {
	return String(set.headers[REQUEST_ID]);
}

/**
 * Tells of every request once its answer is ready.
 * @param answer of an application with {@link requestIds}
 * @param state of that application
 */
export function observed(
	answer: Answer,
	state: HttpState,
	tell: (exchange: Exchange) => void,
): Answer {
	return (request) => {
		const startedAt = performance.now();
		const answered = answer(request);
		// The framework has called the hook above before it gave anything back.
		const context = state.latest;
		const done = (response: Response) => {
			if (context === null) return response;
			tell({
				method: METHODS.has(request.method) ? request.method : OTHER_METHOD,
				route: context.route ?? UNKNOWN_ROUTE,
				status: response.status,
				durationMs: performance.now() - startedAt,
				agentId: state.callers.get(request)?.agent.id ?? null,
				requestId: requestIdOf(context),
			});
			return response;
		};
		return answered instanceof Promise ? answered.then(done) : done(answered);
	};
}
