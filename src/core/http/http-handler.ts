import type { Answer, Call } from "../calls/call.ts";
import { isPublic } from "../calls/create-answer.ts";
import { handle } from "../calls/handle.ts";
import { ResortError } from "../lib/resort-error.ts";
import { weightOf } from "../lib/weights.ts";
import type { Operation } from "../resort/operation.ts";
import { CROSS_ORIGIN } from "./origin-check.ts";
import { allowing } from "./preflight.ts";
import { readCall, readSource } from "./read-call.ts";
import { baseHeaders, publicHeaders } from "./send-response.ts";
import { respond, type Transport, textAnswer, UNKNOWN_ROUTE } from "./transport.ts";

/** The web pages for clients that prefer HTML. */
export interface Pages {
	/** The header fields of every page. */
	readonly headers: Readonly<Record<string, string>>;
	/** Returns the HTML page for a failure. */
	failure(status: number, body: object): string;
}

const MARKDOWN = "text/markdown";

/**
 * What pages of other origins may send: reads without a credential, with the fields that resume and
 * revalidate.
 */
const READ_FIELDS = "Last-Event-ID, If-None-Match, X-Request-Id";
const publicReads = allowing("*", "GET", READ_FIELDS);

/** Converts requests to calls, and answers to responses. */
export class HttpHandler {
	/** @param pages null if the pages are off */
	constructor(
		private readonly transport: Transport,
		private readonly pages: Pages | null,
	) {}

	/**
	 * Answers a request. Never rejects.
	 * @param operation the operation found for the request
	 */
	async answer(
		request: Request,
		operation: Operation,
		params: Readonly<Record<string, string>>,
	): Promise<Response> {
		const transport = this.transport;
		let call: Call;
		try {
			call = await readCall(request, operation, params, transport);
		} catch (error) {
			return this.refuse(request, error);
		}
		const result = await handle(transport.pipeline, call);
		const answer = this.#byAccept(request, result);
		const base = isPublic(call.operation) ? publicHeaders : baseHeaders;
		return respond(transport, request, { source: call, answer, base });
	}

	/** Answers a preflight of a path with these operations. */
	async answerPreflight(request: Request, operations: readonly Operation[]): Promise<Response> {
		const asked = request.headers.get("access-control-request-method") ?? "";
		const read = operations.find(isPublic);
		if (read === undefined || !["GET", "HEAD"].includes(asked)) {
			const hint =
				"Pages of other origins may only read what needs no credential. Send the request from a program, or from a page of this service.";
			const error = new ResortError("forbidden", CROSS_ORIGIN, { hint });
			return this.refuse(request, error);
		}
		const source = readSource(request, read.path, this.transport);
		const answer = textAnswer(204, "", publicReads);
		return respond(this.transport, request, { source, answer, base: baseHeaders });
	}

	/**
	 * Answers a request with an error: a request that matches no operation, or that failed before its call was
	 * read.
	 */
	async refuse(request: Request, error: unknown): Promise<Response> {
		const transport = this.transport;
		const source = readSource(request, UNKNOWN_ROUTE, transport);
		const failure = transport.pipeline.failures.of(error, source.request);
		const answer = this.#byAccept(request, failure);
		return respond(transport, request, { source, answer, base: baseHeaders });
	}

	/**
	 * Replaces the body of a failure by an HTML page if the client prefers HTML. Failures under /api keep their
	 * JSON, and failures with another `Content-Type` keep their body.
	 */
	#byAccept(request: Request, answer: Answer): Answer {
		const pages = this.pages;
		const { status, failure } = answer;
		const isFinal = failure === null || "content-type" in answer.headers;
		if (pages === null || isFinal || isOfApi(request)) return answer;
		const headers = { vary: "Accept", ...answer.headers };
		if (!prefersHtml(request)) return { ...answer, headers };
		return {
			...answer,
			headers: { ...pages.headers, ...headers },
			body: pages.failure(status, failure.body),
		};
	}
}

function isOfApi({ url }: Request): boolean {
	return /^https?:\/\/[^/]*\/api(?![^/?])/.test(url);
}

/**
 * Returns the operation whose media type the client prefers. Others than the default must be named in `Accept`
 * and weigh more. Markdown may also weigh the same, because only agents name it.
 * @param operations the operations of one method and path, the default first
 */
export function selectByAccept([usual, ...others]: readonly Operation[], { headers }: Request): Operation {
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

/** Returns a media type and the wildcards that match it. */
function rangesOf(mediaType = "application/json"): string[] {
	return [mediaType, mediaType.replace(/\/.*/, "/*"), "*/*"];
}
