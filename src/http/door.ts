import { admit, type Call } from "../auth/call.ts";
import { runPatiently, secondsOf } from "../auth/waiting.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { weightOf } from "../lib/weights.ts";
import { Body } from "../pipeline/body.ts";
import { renderJson, schemaOf } from "../pipeline/render.ts";
import type { Filter } from "../resort/events/event-filter.ts";
import { limits } from "../resort/limits.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { toReply } from "../resort/reply.ts";
import { type Answering, readyAnswer, usualStatus } from "./answering.ts";
import { callOf, type HttpOptions } from "./call.ts";
import { sessionCookie } from "./cookie.ts";
import { EventStreams, streamHeaders } from "./event-streams.ts";
import {
	type Found,
	NOTHING_FOUND,
	type Observer,
	observe,
	REQUEST_ID,
	requestIdFor,
} from "./exchange.ts";
import { dropConnection, InjectedFault, meetFault } from "./faults.ts";
import { headersOfAll, headersOfPublic, NO_CACHE } from "./headers.ts";
import { type Deliver, send, sendOnce, sendReady } from "./send.ts";

/** What the HTTP door works with. */
export interface DoorParts {
	readonly answering: Answering;
	readonly options: HttpOptions;
	readonly deliver: Deliver;
	/** Null when nobody watches. */
	readonly observer: Observer | null;
	/** What browsers are given; null where there are no pages. */
	readonly pages: Pages | null;
}

/** What the door gives to those who would rather have HTML. */
export interface Pages {
	/** What takes the place of an operation whose path has both. */
	readonly home: Operation;
	/** The header fields of every page. */
	readonly headers: Readonly<Record<string, string>>;
	/** Writes the page of a failure. */
	failure(status: number, body: object): string;
}

/** Turns requests into calls and their answers into responses. */
export class Door {
	readonly #parts: DoorParts;
	readonly #streams: EventStreams;

	constructor(parts: DoorParts) {
		this.#parts = parts;
		this.#streams = new EventStreams(parts.answering.access);
	}

	/**
	 * Answers a request; it never fails.
	 * @param addressed the operation of its path
	 */
	async answer(
		request: Request,
		addressed: Operation,
		params: Readonly<Record<string, string>>,
	): Promise<Response> {
		const startedAt = performance.now();
		const { answering, options, observer } = this.#parts;
		const { access } = answering;
		const meant = this.#meant(request, addressed);
		const call = await callOf(request, meant, params, access, options);
		const { operation } = call;
		const streams = prefersStream(request) ? operation.streams : undefined;
		if (streams !== undefined) resume(request, call);
		const headers: Record<string, string> = {
			...(isPublic(operation) ? headersOfPublic : headersOfAll),
			[REQUEST_ID]: requestIdFor(request),
		};
		let response: Response;
		const found: Found = { ...NOTHING_FOUND };
		const { testkit } = access.context;
		try {
			if (testkit !== null) {
				await meetFault(testkit, call, call.connection, found);
			}
			const respond = async () => {
				const input = await admit(access, call);
				if (streams !== undefined) {
					const filter = streams(input);
					return this.#answerStream(request, call, input, headers, filter);
				}
				found.waited = secondsOf(operation, input.query) > 0;
				return operation.invalidatedBy === undefined || found.waited
					? this.#answerOnce(request, call, input, headers, found.waited)
					: this.#answerReady(request, call, input);
			};
			// GET is attended to by the front. Of others the body has come now, which may have taken a while.
			response = await (operation.method === "GET"
				? respond()
				: access.context.store.withDeadline(respond));
		} catch (error) {
			tellLimit(call, headers);
			response =
				error instanceof InjectedFault && error.isDrop
					? await dropConnection(request, call.connection)
					: await this.#fail(request, operation.path, headers, error);
		}
		if (observer !== null) {
			found.agentId = call.caller?.agent.id ?? null;
			observe(observer, request, response, operation, startedAt, found);
		}
		return response;
	}

	/** The operation that is meant, where a path has one for programs and one for people. */
	#meant(request: Request, addressed: Operation): Operation {
		const { pages } = this.#parts;
		return addressed.byAccept && pages !== null && prefersHtml(request)
			? pages.home
			: addressed;
	}

	/** Answers a request that no operation has, or that failed before one was found. */
	async refuse(request: Request, error: unknown): Promise<Response> {
		const startedAt = performance.now();
		const headers = { ...headersOfAll, [REQUEST_ID]: requestIdFor(request) };
		const response = await this.#fail(request, "unknown", headers, error);
		const { observer } = this.#parts;
		if (observer !== null) {
			observe(observer, request, response, null, startedAt, NOTHING_FOUND);
		}
		return response;
	}

	/** Runs an operation and sends what it says, which is not kept. */
	async #answerOnce(
		request: Request,
		call: Call,
		input: Input,
		headers: Record<string, string>,
		waits: boolean,
	): Promise<Response> {
		const { operation } = call;
		const { access } = this.#parts.answering;
		const reply = toReply(await runPatiently(access, call, input));
		tellLimit(call, headers);
		const { status = usualStatus(operation), session } = reply.details;
		Object.assign(headers, reply.details.headers);
		if (session !== undefined) headers["set-cookie"] = sessionCookie(session);
		const ignored = call.ignored.length > 0 ? { ignored: call.ignored } : {};
		const schema = schemaOf(operation, status, input.query);
		const told = { ...reply.body, ...ignored };
		if (operation.method !== "GET") {
			return new Response(renderJson(schema, told), { status, headers });
		}
		const body = Body.of(renderJson(schema, told));
		const hasEtag =
			isPublic(operation) && !operation.isFresh && !waits && status === 200;
		const { deliver } = this.#parts;
		if (!hasEtag && !body.isCompressed) {
			return deliver(request, body.plain, { status, headers });
		}
		const shared = new Headers(headers);
		if (hasEtag) shared.set("cache-control", NO_CACHE);
		const sending = { status, headers: shared, hasEtag };
		return send(request, body, sending, deliver);
	}

	/** Begins a stream of events. */
	#answerStream(
		request: Request,
		call: Call,
		input: Input,
		headers: Record<string, string>,
		filter: Filter,
	): Response {
		const init = { headers: { ...headers, ...streamHeaders } };
		if (request.method === "HEAD") return new Response(null, init);
		const { since } = input.query as { readonly since?: string };
		const told = { since: since === undefined ? null : Number(since), filter };
		const { eventLog } = this.#parts.answering.access.context;
		return new Response(this.#streams.open(call, eventLog, told), init);
	}

	/** Sends an answer that is kept ready, or is made now. */
	async #answerReady(
		request: Request,
		call: Call,
		input: Input,
	): Promise<Response> {
		const { answering, deliver } = this.#parts;
		const found = await readyAnswer(answering, call, input);
		return sendReady(request, found, deliver);
	}

	#fail(
		request: Request,
		route: string,
		headers: Record<string, string>,
		error: unknown,
	): Response | Promise<Response> {
		const { method } = request;
		const requestId = headers[REQUEST_ID] ?? "";
		const failed = this.#parts.answering.failures(error, {
			method,
			route,
			requestId,
		});
		const { status, body } = failed;
		const { pages, deliver } = this.#parts;
		const isByAccept = pages !== null && !isOfApi(request);
		if (isByAccept) headers.vary = "Accept";
		if (isByAccept && prefersHtml(request)) {
			const all = { ...headers, ...pages.headers, ...failed.headers };
			const page = pages.failure(status, body);
			return sendOnce(request, page, { status, headers: all }, deliver);
		}
		const all = { ...headers, ...failed.headers };
		const text = JSON.stringify(body);
		return sendOnce(request, text, { status, headers: all }, deliver);
	}
}

/** Whether pages of any origin may read an operation's answers. */
function isPublic({ credential, method, only }: Operation): boolean {
	return credential === "none" && method === "GET" && only !== "testkit";
}

/** Whether a request is for the API, which tells people and programs the same. */
function isOfApi({ url }: Request): boolean {
	return /^https?:\/\/[^/]*\/api(?![^/?])/.test(url);
}

/** Whether a request would rather have HTML than JSON: it names it, and gives it more weight. */
function prefersHtml({ headers }: Request): boolean {
	const accept = headers.get("accept");
	if (accept === null) return false;
	const html = weightOf(accept, ["text/html"]);
	return html > weightOf(accept, ["application/json", "application/*", "*/*"]);
}

/** Whether a request would rather have a stream of events than JSON. */
function prefersStream({ headers }: Request): boolean {
	const accept = headers.get("accept");
	if (accept === null) return false;
	const stream = weightOf(accept, ["text/event-stream"]);
	const json = weightOf(accept, ["application/json"]);
	return stream > 0 && stream >= json;
}

/** A stream that is resumed begins after the last event that its reader has. */
function resume({ headers }: Request, call: Call): void {
	const lastId = headers.get("last-event-id")?.trim();
	if (lastId) call.query = { ...call.query, since: lastId };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10, when the call was counted. */
function tellLimit({ counted }: Call, headers: Record<string, string>): void {
	if (counted === null) return;
	const { name, remaining, resetSeconds } = counted;
	const { limit, windowMs } = limits[name];
	headers["ratelimit-policy"] =
		`"${name}";q=${limit};w=${windowMs / SECOND_MS}`;
	headers.ratelimit = `"${name}";r=${remaining};t=${resetSeconds}`;
}
