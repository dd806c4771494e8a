import { weightOf } from "../lib/weights.ts";
import type { Answer } from "../pipeline/call.ts";
import { handle } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import { isPublic } from "../pipeline/serialize.ts";
import type { Operation } from "../resort/operation.ts";
import { UNKNOWN_ROUTE } from "./completed-request.ts";
import { readCall, readSource } from "./read-call.ts";
import { baseHeaders, publicHeaders } from "./send-response.ts";
import { respond, type Transport } from "./transport.ts";

/** The pages for clients that prefer HTML. */
export interface Pages {
	/** Replaces the operation with the same path. */
	readonly home: Operation;
	/** The header fields of every page. */
	readonly headers: Readonly<Record<string, string>>;
	/** Returns the page of a failure. */
	failure(status: number, body: object): string;
}

/** Turns requests into calls, and their answers into responses. */
export class HttpHandler {
	readonly #transport: Transport;
	readonly #pages: Pages | null;

	/** @param pages null if there are none */
	constructor(transport: Transport, pages: Pages | null) {
		this.#transport = transport;
		this.#pages = pages;
	}

	/**
	 * Answers a request; it never rejects.
	 * @param routed the operation at its path
	 */
	async answer(
		request: Request,
		routed: Operation,
		params: Readonly<Record<string, string>>,
	): Promise<Response> {
		const startedAt = performance.now();
		const isPage = routed.byAccept && this.#pages && prefersHtml(request);
		const operation = isPage ? this.#pages.home : routed;
		const call = await readCall(request, operation, params, this.#transport);
		const answer = await handle(this.#transport.pipeline, call);
		return respond(
			this.#transport,
			request,
			call,
			this.#byAccept(request, answer),
			isPublic(call.operation) ? publicHeaders : baseHeaders,
			startedAt,
		);
	}

	/** Answers a request that failed before it was read, or is for no operation. */
	async refuse(request: Request, error: unknown): Promise<Response> {
		const startedAt = performance.now();
		const source = readSource(request, UNKNOWN_ROUTE, this.#transport);
		const answer = this.#transport.pipeline.failures.of(error, source.request);
		return respond(
			this.#transport,
			request,
			source,
			this.#byAccept(request, answer),
			baseHeaders,
			startedAt,
		);
	}

	/** Replaces a failure by its page for a client that prefers HTML; the API has none. */
	#byAccept(request: Request, answer: Answer): Answer {
		const pages = this.#pages;
		const { status, failure } = answer;
		if (pages === null || failure === null || isOfApi(request)) return answer;
		const headers = { vary: "Accept", ...answer.headers };
		if (!prefersHtml(request)) return { ...answer, headers };
		return {
			...answer,
			headers: { ...pages.headers, ...headers },
			body: ResponseBody.of(pages.failure(status, failure.body)),
		};
	}
}

function isOfApi({ url }: Request): boolean {
	return /^https?:\/\/[^/]*\/api(?![^/?])/.test(url);
}

/** Whether a client names HTML and gives it more weight than JSON. */
function prefersHtml({ headers }: Request): boolean {
	const accept = headers.get("accept");
	if (accept === null) return false;
	const html = weightOf(accept, ["text/html"]);
	return html > weightOf(accept, ["application/json", "application/*", "*/*"]);
}
