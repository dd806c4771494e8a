import { Elysia } from "elysia";
import { nearestOperation, type PathHint } from "../calls/nearest-operation.ts";
import { type CachedAnswer, keyByAccept } from "../calls/response-cache.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Operation } from "../resort/operation.ts";
import { HttpHandler, type Pages, selectByAccept } from "./http-handler.ts";
import { isPreflight } from "./preflight.ts";
import { emptyRecord } from "./read-call.ts";
import { publicHeaders, requestIdOf } from "./send-response.ts";
import { observe, type Transport } from "./transport.ts";

/** Answers a request. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Answers all requests to one path, whatever their method. */
export interface PathHandler {
	readonly path: string;
	answer(request: Request): Promise<Response>;
}

/** Everything that the application routes requests to. */
export interface Routes {
	readonly operations: readonly Operation[];
	/** Further operations, which hints do not name. */
	readonly unlisted: readonly Operation[];
	/** Hints for paths that no operation has. */
	readonly pathHints: readonly PathHint[];
	/** The pages for clients that prefer HTML; null if there are none. */
	readonly pages: Pages | null;
	/** The handlers of paths that belong to no operation, such as `/mcp`. */
	readonly handlers: readonly PathHandler[];
}

/**
 * Creates the application. A GET or HEAD request whose target is in the response cache is answered from the
 * cache. Elysia routes all other requests to their operations. The pipeline runs the steps that are the same
 * for every transport.
 */
export function createApp(transport: Transport, routes: Routes): Fetch {
	const { cache, context, hook } = transport.pipeline;
	const { store } = context;
	const handler = new HttpHandler(transport, routes.pages);
	const all = [...routes.operations, ...routes.unlisted];
	const router = createRouter(handler, routes, all);
	const byAccept = Map.groupBy(
		all.filter((one) => one.byAccept !== undefined),
		(one) => one.path,
	);
	const keyOf = (request: Request) => {
		const target = targetOf(request.url);
		const ofPath = byAccept.get(target);
		return ofPath === undefined ? target : keyByAccept(target, selectByAccept(ofPath, request));
	};
	const answer: Fetch = (request) => {
		const cached = hook?.isArmed() ? undefined : cache.find(keyOf(request));
		return cached === undefined ? router.fetch(request) : answerCached(request, cached, transport);
	};
	const fetch: Fetch = (request) => {
		const { method } = request;
		if (method !== "GET" && method !== "HEAD") return router.fetch(request);
		const checking = store.checkFreshness();
		return checking === null ? answer(request) : checking.then(() => answer(request));
	};
	if (hook === null) return fetch;
	return async (request) => {
		const response = await fetch(request);
		// HTTP clients silently repeat a request that fails on a reused connection, which would hide that the
		// hook has closed it. Closing idle connections at that time would break calls of other operations. So no
		// connection is ever reused.
		response.headers.set("connection", "close");
		return response;
	};
}

function answerCached(
	request: Request,
	{ answer, prepared, operation }: CachedAnswer,
	{ server: { responses, observer }, pipeline }: Transport,
): Response | Promise<Response> {
	const startedAt = observer === null ? 0 : performance.now();
	const atMs = observer === null ? 0 : pipeline.context.clock();
	const requestId = requestIdOf(request);
	const response = responses.send(request, answer, { base: publicHeaders, requestId, prepared });
	if (observer === null) return response;
	const { method } = request;
	const info = { method, route: operation.path, requestId, startedAt, atMs };
	const record = { ...emptyRecord, operation };
	const observed = (sent: Response) => {
		observe(observer, { request, response: sent, info, record });
		return sent;
	};
	return response instanceof Promise ? response.then(observed) : observed(response);
}

function createRouter(
	handler: HttpHandler,
	{ operations, pathHints, handlers }: Routes,
	all: readonly Operation[],
): Elysia {
	const app = new Elysia({
		name: "resort",
		strictPath: true,
		// Disabled, because with `standardHostname` Elysia would find no path in a URL whose host name has only
		// one letter.
		handler: { standardHostname: false },
	});
	const refuseUnknown = (request: Request, path: string) => {
		const hint = nearestOperation(operations, pathHints, { method: request.method, path });
		const error = new ResortError("not_found", "Not found", { hint });
		return handler.refuse(request, error);
	};
	// Registers one route for each path, not one for each method, because each route adds 25 us to the startup
	// time.
	for (const [path, ofPath] of Map.groupBy(all, (one) => one.path)) {
		app.all(
			path,
			({ request, params, path: sent }) => {
				const method = request.method === "HEAD" ? "GET" : request.method;
				const ofMethod = ofPath.filter((one) => one.method === method);
				if (ofMethod.length > 0) {
					return handler.answer(request, selectByAccept(ofMethod, request), decoded(params));
				}
				return isPreflight(request) ? handler.answerPreflight(request, ofPath) : refuseUnknown(request, sent);
			},
			{ parse: "none" },
		);
	}
	for (const other of handlers) {
		app.all(other.path, ({ request }) => other.answer(request), { parse: "none" });
	}
	// Registered last, because each route that is registered after an error handler takes longer. The handlers
	// of the routes throw nothing, so they do not need the error handler.
	app.onError(({ code, error, request, path }) =>
		code === "NOT_FOUND" ? refuseUnknown(request, path) : handler.refuse(request, error),
	);
	return app;
}

/**
 * Replaces the null that the router returns for an invalid escape (`%zz`) by an empty id, which no operation
 * finds.
 */
function decoded(params: Record<string, string | null> = {}): Record<string, string> {
	for (const name in params) params[name] ??= "";
	return params as Record<string, string>;
}

/** Returns the path and query of a URL; an empty string if the URL is not absolute. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}
