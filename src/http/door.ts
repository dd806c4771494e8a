import type { Logger } from "@logtape/logtape";
import { type Access, admit, type Call, run } from "../access/call.ts";
import { Body } from "../answers/body.ts";
import { DrawnBody } from "../answers/drawn-body.ts";
import { LongLists } from "../answers/long-lists.ts";
import {
	keyOf,
	type Reading,
	type Ready,
	type ReadyAnswers,
} from "../answers/ready.ts";
import { longListOf, renderJson } from "../answers/render.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { weightOf } from "../lib/weights.ts";
import { limits } from "../resort/limits.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { DocumentReply, Reply } from "../resort/reply.ts";
import { callOf, type HttpOptions } from "./call.ts";
import { sessionCookie } from "./cookie.ts";
import {
	type Observer,
	observe,
	REQUEST_ID,
	requestIdFor,
} from "./exchange.ts";
import { createFailures } from "./failure.ts";
import { headersOfAll, headersOfPublic, validatedHeaders } from "./headers.ts";
import { type Deliver, send, sendReady } from "./send.ts";

/** What the HTTP door works with. */
export interface DoorParts {
	readonly access: Access;
	readonly ready: ReadyAnswers;
	readonly options: HttpOptions;
	readonly deliver: Deliver;
	readonly log: Logger;
	/** Null when nobody watches. */
	readonly observer: Observer | null;
}

const noHeaders = {};

/** A list that is being made. */
interface Flight {
	readonly reading: Reading;
	readonly made: Promise<Ready>;
}

/** Turns requests into calls and their answers into responses. */
export class Door {
	readonly #parts: DoorParts;
	readonly #failures: ReturnType<typeof createFailures>;
	readonly #longLists = new LongLists();
	/** By the keys of their answers. */
	readonly #flights = new Map<string, Flight>();

	constructor(parts: DoorParts) {
		this.#parts = parts;
		this.#failures = createFailures(parts.log, parts.access.house.clock);
	}

	/** Answers a request for an operation; it never fails. */
	async answer(
		request: Request,
		operation: Operation,
		params: Readonly<Record<string, string>>,
	): Promise<Response> {
		const startedAt = performance.now();
		const headers: Record<string, string> = {
			...(isPublic(operation) ? headersOfPublic : headersOfAll),
			[REQUEST_ID]: requestIdFor(request),
		};
		const { access, options, observer } = this.#parts;
		const call = await callOf(request, operation, params, access, options);
		let response: Response;
		try {
			const input = await admit(access, call);
			response =
				operation.readsOf === undefined
					? await this.#answerOnce(request, call, input, headers)
					: await this.#answerReady(request, call, input, headers);
		} catch (error) {
			tellLimit(call, headers);
			response = this.#fail(request, operation.path, headers, error);
		}
		if (observer !== null) {
			const agentId = call.caller?.agent.id ?? null;
			observe(observer, request, response, operation.path, agentId, startedAt);
		}
		return response;
	}

	/** Answers a request that no operation has, or that failed before one was found. */
	refuse(request: Request, error: unknown): Response {
		const startedAt = performance.now();
		const headers = { ...headersOfAll, [REQUEST_ID]: requestIdFor(request) };
		const response = this.#fail(request, "unknown", headers, error);
		const { observer } = this.#parts;
		if (observer !== null) {
			observe(observer, request, response, null, null, startedAt);
		}
		return response;
	}

	/** Runs an operation and sends what it says, which is not kept. */
	async #answerOnce(
		request: Request,
		call: Call,
		input: Input,
		headers: Record<string, string>,
	): Promise<Response> {
		const { operation } = call;
		const reply = toReply(await run(this.#parts.access, call, input));
		tellLimit(call, headers);
		const { status = usualStatus(operation), session } = reply.details;
		if (session !== undefined) headers["set-cookie"] = sessionCookie(session);
		const isWrite = request.method !== "GET" && request.method !== "HEAD";
		const ignored = call.ignored.length > 0 ? { ignored: call.ignored } : {};
		const shown = { ...reply.body, ...ignored };
		if (isWrite) {
			const json = renderJson(operation, status, shown);
			return new Response(json, { status, headers });
		}
		const hasEtag = isPublic(operation) && !operation.isFresh && status === 200;
		if (hasEtag) Object.assign(headers, validatedHeaders);
		const body = await this.#render(call, status, shown);
		const sending = { status, headers, hasEtag };
		return send(request, body, sending, this.#parts.deliver);
	}

	/** Sends an answer that is kept ready, or is made now for all who wait for it. */
	async #answerReady(
		request: Request,
		call: Call,
		input: Input,
		headers: Record<string, string>,
	): Promise<Response> {
		const { operation, params } = call;
		const { ready, access, deliver } = this.#parts;
		const isPage = operation.page !== undefined && prefersHtml(request);
		const judged = input.query as Readonly<Record<string, string | number>>;
		const query = operation.canonical?.(judged) ?? judged;
		// No target has a space: who has two forms of an answer must be asked for its Accept field each time.
		const form = operation.page && (isPage ? " html" : " json");
		const key = keyOf(operation.path, params, query) + (form ?? "");
		const nowMs = access.house.clock();
		const found =
			ready.find(key, nowMs) ?? (await this.#make(key, call, input, isPage));
		if (operation.page !== undefined) headers.vary = "Accept";
		return sendReady(request, found, headers, deliver);
	}

	async #make(
		key: string,
		call: Call,
		input: Input,
		isPage: boolean,
	): Promise<Ready> {
		const { ready } = this.#parts;
		for (
			let flight = this.#flights.get(key);
			flight !== undefined && ready.isTrue(flight.reading);
			flight = this.#flights.get(key)
		) {
			try {
				return await flight.made;
			} catch (error) {
				if (!isRateLimited(error)) throw error;
				// It is the limit of another one, for whom it was to be made.
			}
		}
		const { clock } = this.#parts.access.house;
		const reading = ready.begin(call.operation, clock());
		const made = this.#makeNow(call, input, reading, isPage).finally(() => {
			if (this.#flights.get(key)?.made === made) this.#flights.delete(key);
		});
		this.#flights.set(key, { reading, made });
		const one = await made;
		ready.keep(key, one, reading);
		return one;
	}

	async #makeNow(
		call: Call,
		input: Input,
		reading: Reading,
		isPage: boolean,
	): Promise<Ready> {
		const { access } = this.#parts;
		const { operation } = call;
		const reply =
			isPage && operation.page !== undefined
				? new DocumentReply(access.house.documents.get(operation.page))
				: toReply(await run(access, call, input));
		const { untilMs = () => Number.POSITIVE_INFINITY, drawn } = reply.details;
		const { fromMs } = reading;
		if (reply instanceof DocumentReply) {
			const { text, mediaType, headers } = reply.document;
			const fields = {
				...validatedHeaders,
				"content-type": mediaType,
				...headers,
			};
			return {
				kind: operation,
				body: Body.of(text),
				headers: fields,
				hasEtag: true,
				fromMs,
				untilMs: untilMs(),
			};
		}
		const shown = { ...reply.body, ...(drawn && { [drawn.name]: "" }) };
		const plain = await this.#render(call, 200, shown);
		const body = drawn === undefined ? plain : new DrawnBody(plain, drawn);
		const hasEtag = !operation.isFresh;
		const usual = hasEtag ? validatedHeaders : noHeaders;
		const own = reply.details.headers;
		// One object for all, because there may be many answers.
		const headers = own === undefined ? usual : { ...usual, ...own };
		return {
			kind: operation,
			body,
			headers,
			hasEtag,
			fromMs,
			untilMs: untilMs(),
		};
	}

	async #render(call: Call, status: number, body: object): Promise<Body> {
		const { operation, address } = call;
		const found = longListOf(body);
		if (found === null) return Body.of(renderJson(operation, status, body));
		const { rateLimits: isLimited, house } = this.#parts.access;
		const asker = { address, nowMs: house.clock(), isLimited };
		return this.#longLists.render(operation, body, found, asker);
	}

	#fail(
		request: Request,
		route: string,
		headers: Record<string, string>,
		error: unknown,
	): Response {
		const { method } = request;
		const requestId = headers[REQUEST_ID] ?? "";
		const failed = this.#failures(error, { method, route, requestId });
		return new Response(JSON.stringify(failed.body), {
			status: failed.status,
			headers: { ...headers, ...failed.headers },
		});
	}
}

function isRateLimited(error: unknown): boolean {
	return error instanceof ResortError && error.code === "rate_limited";
}

/** Whether pages of any origin may read an operation's answers. */
function isPublic({ credential, method, only }: Operation): boolean {
	return credential === "none" && method === "GET" && only !== "controls";
}

/** The status of success that an operation gives when it says no other. */
function usualStatus({ answers }: Operation): number {
	return Math.min(...Object.keys(answers).map(Number));
}

function toReply(answer: object): Reply {
	return answer instanceof Reply ? answer : new Reply(answer);
}

/** Whether a request would rather have HTML than JSON: it names it, and gives it more weight. */
function prefersHtml({ headers }: Request): boolean {
	const accept = headers.get("accept");
	if (accept === null) return false;
	const html = weightOf(accept, ["text/html"]);
	return html > weightOf(accept, ["application/json", "application/*", "*/*"]);
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
