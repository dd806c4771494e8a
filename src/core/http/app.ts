import { Elysia } from "elysia";
import { nearestOperation } from "../calls/nearest-operation.ts";
import type { CachedAnswer } from "../calls/response-cache.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Operation } from "../resort/operation.ts";
import { HttpHandler, type Pages } from "./http-handler.ts";
import { isPreflight } from "./preflight.ts";
import { emptyRecord } from "./read-call.ts";
import { publicHeaders, requestIdOf } from "./send-response.ts";
import { type HttpServer, observe, type Transport } from "./transport.ts";

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
	/** The operations of the web pages. Hints do not name them. Empty if the pages are off. */
	readonly pageOperations: readonly Operation[];
	/** The pages for clients that prefer HTML; null if the pages are off. */
	readonly pages: Pages | null;
	/** The handlers of paths that belong to no operation, such as `/mcp`. */
	readonly handlers: readonly PathHandler[];
	/**
	 * True for an ephemeral instance. The hint of a 404 under /test then names the test controls or, if they
	 * are off, the option that enables them.
	 */
	readonly isEphemeral: boolean;
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
	const router = createRouter(handler, routes);
	const answer: Fetch = (request) => {
		const cached = hook?.isArmed() ? undefined : cache.find(targetOf(request.url));
		return cached === undefined ? router.fetch(request) : answerCached(request, cached, transport.server);
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
		// HTTP clients silently repeat a request that fails on a reused connection, which would hide that the hook
		// has closed it. Closing idle connections at that time would break calls of other operations. So no
		// connection is ever reused.
		response.headers.set("connection", "close");
		return response;
	};
}

function answerCached(
	request: Request,
	{ answer, prepared, operation }: CachedAnswer,
	{ responses, observer }: HttpServer,
): Response | Promise<Response> {
	const startedAt = observer === null ? 0 : performance.now();
	const requestId = requestIdOf(request);
	const response = responses.send(request, answer, { base: publicHeaders, requestId, prepared });
	if (observer === null) return response;
	const { method } = request;
	const info = { method, route: operation.path, requestId, startedAt };
	const record = { ...emptyRecord, operation };
	const observed = (sent: Response) => {
		observe(observer, { request, response: sent, info, record });
		return sent;
	};
	return response instanceof Promise ? response.then(observed) : observed(response);
}

function createRouter(
	handler: HttpHandler,
	{ operations, pageOperations, handlers, isEphemeral }: Routes,
): Elysia {
	const app = new Elysia({
		name: "resort",
		strictPath: true,
		// Disabled, because with `standardHostname` Elysia would find no path in a URL whose host name has only
		// one letter.
		handler: { standardHostname: false },
	});
	const refuseUnknown = (request: Request, path: string) => {
		const hint =
			isEphemeral && path.startsWith("/test/")
				? testControlsHint(operations)
				: nearestOperation(operations, request.method, path);
		const error = new ResortError("not_found", "Not found", { hint });
		return handler.refuse(request, error);
	};
	const all = [...operations, ...pageOperations];
	// Registers one route for each path, not one for each method, because each route adds 25 us to the startup
	// time.
	for (const [path, ofPath] of Map.groupBy(all, (one) => one.path)) {
		app.all(
			path,
			({ request, params, path: sent }) => {
				const method = request.method === "HEAD" ? "GET" : request.method;
				const operation = ofPath.find((one) => one.method === method);
				if (operation !== undefined) {
					return handler.answer(request, operation, decoded(params));
				}
				return isPreflight(request) ? handler.answerPreflight(request, ofPath) : refuseUnknown(request, sent);
			},
			{ parse: "none" },
		);
	}
	for (const other of handlers) {
		app.all(other.path, ({ request }) => other.answer(request), {
			parse: "none",
		});
	}
	// Registered last, because each route that is registered after an error handler takes longer. The handlers
	// of the routes throw nothing, so they do not need the error handler.
	app.onError(({ code, error, request, path }) =>
		code === "NOT_FOUND" ? refuseUnknown(request, path) : handler.refuse(request, error),
	);
	return app;
}

function testControlsHint(operations: readonly Operation[]): string {
	const controls = operations.filter(({ isLocal }) => isLocal).map(({ method, path }) => `${method} ${path}`);
	return controls.length === 0
		? "This resort was started without --test-controls."
		: `The test controls are ${controls.join(", ")}.`;
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
