import type { HttpState } from "./state.ts";

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

/** What is learnt of a request on its way. */
export interface Course {
	/** Holds the template of its path, once a route has taken it; null while nobody has looked. */
	context: { readonly route?: string } | null;
}

/** What answers a request, and notes what it learns of it. */
export type Answer = (
	request: Request,
	course: Course,
) => Response | Promise<Response>;

/** The id of a request: its own when it is sane, else a new one. */
export function requestIdFor({ headers }: Request): string {
	const given = headers.get(REQUEST_ID);
	return given !== null && SANE_REQUEST_ID.test(given)
		? given
		: Bun.randomUUIDv7();
}

/**
 * Tells of every request once its answer is ready.
 * @param callers who sent a request, once its credential is accepted
 */
export function observed(
	answer: Answer,
	{ callers }: Pick<HttpState, "callers">,
	tell: (exchange: Exchange) => void,
): Answer {
	return (request, course) => {
		const startedAt = performance.now();
		const answered = answer(request, course);
		const done = (response: Response) => {
			tell({
				method: METHODS.has(request.method) ? request.method : OTHER_METHOD,
				route: course.context?.route ?? UNKNOWN_ROUTE,
				status: response.status,
				durationMs: performance.now() - startedAt,
				agentId: callers.get(request)?.agent.id ?? null,
				requestId: response.headers.get(REQUEST_ID) ?? "",
			});
			return response;
		};
		return answered instanceof Promise ? answered.then(done) : done(answered);
	};
}
