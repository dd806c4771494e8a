import { Elysia } from "elysia";
import { type Answer, isPublic } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import { handle } from "../calls/handle.ts";
import { nearestOperation, type PathHint } from "../calls/nearest-operation.ts";
import { type CachedAnswer, keyByAccept } from "../calls/response-cache.ts";
import { ResortError } from "../lib/resort-error.ts";
import { weightOf } from "../lib/weights.ts";
import type { Document, Operation } from "../resort/operation.ts";
import { allowing, CROSS_ORIGIN, isPreflight } from "./origin-check.ts";
import { readCall, readSource, startRecord } from "./read-call.ts";
import {
	absoluteRequest,
	isRead,
	type MatchedRequest,
	requestIdOf,
	targetError,
} from "./received-request.ts";
import {
	baseHeaders,
	observe,
	publicHeaders,
	type ResponseSender,
	respond,
	type Transport,
	textAnswer,
	UNKNOWN_ROUTE,
} from "./send-response.ts";

const MARKDOWN = "text/markdown";

/** Answers a request. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Answers all requests to one path, whatever their method. */
export interface PathHandler {
	readonly path: string;
	answer(request: Request): Promise<Response>;
}

/** A function that writes the HTML page for a failure. Clients that prefer HTML get it instead of JSON. */
export type FailurePage = (status: number, body: object) => Document;

/** The operations, pages and handlers to which the application routes requests. */
export interface Routes {
	readonly operations: readonly Operation[];
	/** Further operations, which hints do not name. */
	readonly unlisted: readonly Operation[];
	/** Hints for paths that no operation has. */
	readonly pathHints: readonly PathHint[];
	/** Null if there are no web pages. */
	readonly failurePage: FailurePage | null;
	/** The handlers of paths that belong to no operation, such as `/mcp`. */
	readonly handlers: readonly PathHandler[];
}

/**
 * The answer to the preflight of a public read: the method and the header fields that pages of any origin are
 * allowed to use.
 */
const publicReads = allowing("*", "GET", "Last-Event-ID, If-None-Match, X-Request-Id");

/** Passes a request from the runtime to `answer`. If its target or `Host` is invalid, answers 400 instead. */
export function answerValid(
	request: MatchedRequest,
	responses: ResponseSender,
	answer: Fetch,
): Response | Promise<Response> {
	const error = targetError(request);
	if (error === null) return answer(absoluteRequest(request));
	const refusal = { status: 400, headers: {}, body: error, failure: null };
	return responses.send(request, refusal, { base: baseHeaders, requestId: requestIdOf(request) });
}

/**
 * The application. A GET or HEAD request whose target is in the response cache is answered from the cache.
 * Elysia routes all other requests: their call is read, handled by the pipeline, and answered.
 */
export class HttpApp {
	/** The operations that `Accept` selects, by path. */
	readonly #byAccept: ReadonlyMap<string, readonly Operation[]>;
	readonly #router: Elysia;

	constructor(
		private readonly transport: Transport,
		private readonly routes: Routes,
	) {
		const all = [...routes.operations, ...routes.unlisted];
		this.#router = this.#createRouter(all);
		this.#byAccept = Map.groupBy(
			all.filter((one) => one.byAccept !== undefined),
			(one) => one.path,
		);
	}

	/** Answers a request. */
	readonly fetch: Fetch = (request) => {
		const { hook } = this.transport.pipeline;
		if (hook === null) return this.#findOrRoute(request);
		// No connection is reused: if the hook closed a reused connection, the client would silently repeat the
		// request. Closing only the idle connections, when a test arms a failure, would break calls of other
		// operations.
		return Promise.resolve(this.#findOrRoute(request)).then((response) => {
			response.headers.set("connection", "close");
			return response;
		});
	};

	#findOrRoute(request: Request): Response | Promise<Response> {
		if (!isRead(request)) return this.#router.fetch(request);
		const checking = this.transport.pipeline.context.store.checkFreshness();
		return checking === null ? this.#find(request) : checking.then(() => this.#find(request));
	}

	#find(request: Request): Response | Promise<Response> {
		const { cache, hook } = this.transport.pipeline;
		const target = targetOf(request.url);
		const ofPath = this.#byAccept.get(target);
		const key = ofPath === undefined ? target : keyByAccept(target, selectByAccept(ofPath, request));
		const cached = hook?.isArmed() ? undefined : cache.find(key);
		return cached === undefined ? this.#router.fetch(request) : this.#answerCached(request, cached);
	}

	#answerCached(
		request: Request,
		{ answer, prepared, operation }: CachedAnswer,
	): Response | Promise<Response> {
		const { responses, observers } = this.transport.server;
		const record = observers.length === 0 ? null : startRecord(request, operation.path, this.transport);
		const requestId = record?.requestId ?? requestIdOf(request);
		const response = responses.send(request, answer, { base: publicHeaders, requestId, prepared });
		if (record === null) return response;
		record.operation = operation;
		const observed = (sent: Response) => observe(observers, request, sent, record);
		return response instanceof Promise ? response.then(observed) : observed(response);
	}

	#createRouter(all: readonly Operation[]): Elysia {
		const app = new Elysia({
			name: "resort",
			strictPath: true,
			// Disabled, because with `standardHostname` Elysia would find no path in a URL whose host name has only
			// one letter.
			handler: { standardHostname: false },
		});
		// Registers one route for each path, not one for each method, because each route adds 25 us to the
		// startup time.
		for (const [path, ofPath] of Map.groupBy(all, (one) => one.path)) {
			app.all(
				path,
				({ request, params, path: sent }) => {
					const method = request.method === "HEAD" ? "GET" : request.method;
					const ofMethod = ofPath.filter((one) => one.method === method);
					if (ofMethod.length > 0) {
						return this.#call(request, selectByAccept(ofMethod, request), decoded(params));
					}
					return isPreflight(request)
						? this.#answerPreflight(request, ofPath)
						: this.#refuseUnknown(request, sent);
				},
				{ parse: "none" },
			);
		}
		for (const other of this.routes.handlers) {
			app.all(other.path, ({ request }) => other.answer(request), { parse: "none" });
		}
		// Registered last, because registering a route takes longer after an error handler has been registered.
		// The handlers of the routes throw nothing, so they need no error handler.
		app.onError(({ code, error, request, path }) =>
			code === "NOT_FOUND" ? this.#refuseUnknown(request, path) : this.#refuse(request, error),
		);
		return app;
	}

	/** Answers the call of an operation. Never rejects. */
	async #call(request: Request, operation: Operation, params: Call["params"]): Promise<Response> {
		const transport = this.transport;
		let call: Call;
		try {
			call = await readCall(request, operation, params, transport);
		} catch (error) {
			return this.#refuse(request, error);
		}
		const answer = this.#forReader(request, await handle(transport.pipeline, call));
		const base = isPublic(call.operation) ? publicHeaders : baseHeaders;
		return respond(transport, request, { source: call, answer, base });
	}

	/** Answers a preflight request for a path that has these operations. */
	async #answerPreflight(request: Request, operations: readonly Operation[]): Promise<Response> {
		const asked = request.headers.get("access-control-request-method") ?? "";
		const read = operations.find(isPublic);
		if (read === undefined || !["GET", "HEAD"].includes(asked)) {
			const hint =
				"Pages of other origins may only read what needs no credential. Send the request from a program, or from a page of this service.";
			return this.#refuse(request, new ResortError("forbidden", CROSS_ORIGIN, { hint }));
		}
		const source = readSource(request, read.path, this.transport);
		const answer = textAnswer(204, "", publicReads);
		return respond(this.transport, request, { source, answer, base: baseHeaders });
	}

	#refuseUnknown(request: Request, path: string): Promise<Response> {
		const { operations, pathHints } = this.routes;
		const hint = nearestOperation(operations, pathHints, { method: request.method, path });
		return this.#refuse(request, new ResortError("not_found", "Not found", { hint }));
	}

	/** Answers a request that matches no operation, or that failed before its call was read. */
	async #refuse(request: Request, error: unknown): Promise<Response> {
		const transport = this.transport;
		const source = readSource(request, UNKNOWN_ROUTE, transport);
		const answer = this.#forReader(request, transport.pipeline.failures.of(error, source.record));
		return respond(transport, request, { source, answer, base: baseHeaders });
	}

	/** Replaces the JSON body of a failure by an HTML page if the client prefers HTML, except under /api. */
	#forReader(request: Request, answer: Answer): Answer {
		const { failurePage } = this.routes;
		const { status, failure } = answer;
		const isFinal = failure === null || "content-type" in answer.headers;
		if (failurePage === null || isFinal || isOfApi(request)) return answer;
		const headers = { vary: "Accept", ...answer.headers };
		if (!prefersHtml(request)) return { ...answer, headers };
		const page = failurePage(status, failure.body);
		return { ...answer, headers: { ...page.headers, ...headers }, body: page.content };
	}
}

/** Replaces null by an empty id, which is unknown. The router decodes an invalid escape (`%zz`) to null. */
function decoded(params: Record<string, string | null> = {}): Record<string, string> {
	for (const name in params) params[name] ??= "";
	return params as Record<string, string>;
}

/** Returns the path and query of a URL; an empty string if the URL is not absolute. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}

function isOfApi({ url }: Request): boolean {
	return /^https?:\/\/[^/]*\/api(?![^/?])/.test(url);
}

/**
 * Returns the operation whose media type the client prefers. A media type other than the default must have a
 * higher weight in `Accept`. For Markdown, the same weight is sufficient, because only agents name it.
 * @param operations the operations of one method and path, the default first
 */
function selectByAccept([usual, ...others]: readonly Operation[], { headers }: Request): Operation {
	if (usual === undefined) throw new Error("no operation");
	if (others.length === 0) return usual;
	const accept = headers.get("accept") ?? "";
	let selected = usual;
	let highest = weightOf(accept, rangesOf(usual.byAccept));
	for (const other of others) {
		const weight = weightOf(accept, [other.byAccept ?? ""]);
		const winsTies = other.byAccept === MARKDOWN && weight > 0;
		if (weight > highest || (winsTies && weight === highest)) {
			selected = other;
			highest = weight;
		}
	}
	return selected;
}

/** Whether the client accepts HTML explicitly, and weights it higher than JSON. */
function prefersHtml({ headers }: Request): boolean {
	const accept = headers.get("accept");
	return accept !== null && weightOf(accept, ["text/html"]) > weightOf(accept, rangesOf("application/json"));
}

/** Returns a media type, and the wildcards that match this type. */
function rangesOf(mediaType = "application/json"): string[] {
	return [mediaType, mediaType.replace(/\/.*/, "/*"), "*/*"];
}
