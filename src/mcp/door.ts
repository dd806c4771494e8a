import { Body } from "../answers/body.ts";
import type { Answering } from "../http/answering.ts";
import { isJson, readText } from "../http/body.ts";
import { bearer, type HttpOptions, senderOf } from "../http/call.ts";
import {
	type Observer,
	observe,
	REQUEST_ID,
	requestIdFor,
} from "../http/exchange.ts";
import { headersOfAll } from "../http/headers.ts";
import { isForeignToTools } from "../http/origin.ts";
import type { Deliver } from "../http/send.ts";
import { once } from "../lib/once.ts";
import { ResortError } from "../lib/resort-error.ts";
import { weightOf } from "../lib/weights.ts";
import type { Operation } from "../resort/operation.ts";
import { MCP_PATH } from "./path.ts";
import { Performer } from "./perform.ts";
import type { Exchange } from "./protocol.ts";
import { Resources } from "./resources.ts";
import { Toolbox } from "./toolbox.ts";
import { type Sender, use } from "./use.ts";

/** What the door works with. */
export interface McpParts {
	readonly answering: Answering;
	readonly options: HttpOptions;
	readonly deliver: Deliver;
	/** Null when nobody watches. */
	readonly observer: Observer | null;
	/** Those of the instance. */
	readonly operations: readonly Operation[];
}

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;

/** What the library holds of streams for news: there is none that they could tell. */
const SUBSCRIBE = "subscriptions/listen";

/** A request that is refused before anybody looks at its message. */
class Refused extends Error {
	constructor(
		readonly status: number,
		readonly code: number,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
		readonly id: unknown = null,
	) {
		super(message);
	}
}

/** Answers messages of the Model Context Protocol, each in a request of its own. */
export class McpDoor {
	readonly path = MCP_PATH;
	readonly #parts: McpParts;
	readonly #tools: () => {
		readonly toolbox: Toolbox;
		readonly resources: Resources;
		readonly performer: Performer;
	};

	constructor(parts: McpParts) {
		this.#parts = parts;
		// Most instances are asked over HTTP alone.
		this.#tools = once(() => {
			const { answering, operations } = parts;
			const { provider, baseUrl } = answering.access.house;
			const toolbox = new Toolbox(operations, provider);
			const resources = new Resources(operations, baseUrl);
			const performer = new Performer(answering, toolbox);
			return { toolbox, resources, performer };
		});
	}

	/** Answers a request; it never fails. */
	async answer(request: Request): Promise<Response> {
		const startedAt = performance.now();
		const { options, observer } = this.#parts;
		const { headers } = request;
		const requestId = requestIdFor(request);
		const sender: Sender = {
			...senderOf(request, options),
			presented: {
				apiKey: bearer(headers.get("authorization")),
				token: "",
				signed: null,
			},
			found: { agentId: null, waited: false },
		};
		const response = await this.#respond(request, sender, requestId);
		if (observer !== null) {
			const { agentId, waited } = sender.found;
			observe(
				observer,
				request,
				response,
				MCP_PATH,
				agentId,
				startedAt,
				waited,
			);
		}
		return response;
	}

	async #respond(
		request: Request,
		sender: Sender,
		requestId: string,
	): Promise<Response> {
		const own = { ...headersOfAll, [REQUEST_ID]: requestId };
		try {
			const message = await this.#read(request);
			const { answerMessage } = await import("./protocol.ts");
			const asked = plainRequest(request, sender);
			const exchange = this.#exchange(sender, requestId);
			const response = await answerMessage(asked, message, exchange);
			return await this.#send(request, response, own);
		} catch (error) {
			const { status, code, message, headers, id } =
				error instanceof Refused ? error : this.#unforeseen(error, requestId);
			const body = { jsonrpc: "2.0", error: { code, message }, id };
			return new Response(JSON.stringify(body), {
				status,
				headers: { ...own, ...headers },
			});
		}
	}

	#unforeseen(error: unknown, requestId: string): Refused {
		const place = { method: "POST", route: MCP_PATH, requestId };
		const { status } = this.#parts.answering.failures(error, place);
		return new Refused(status, INTERNAL_ERROR, "Internal error");
	}

	/** The message of a request. */
	async #read(request: Request): Promise<object> {
		const { baseUrl } = this.#parts.answering.access.house;
		if (isForeignToTools(request, new URL(baseUrl).origin)) {
			throw new Refused(403, INVALID_REQUEST, "Cross-origin request refused");
		}
		if (request.method !== "POST") {
			throw new Refused(405, INVALID_REQUEST, "Send messages with POST", {
				allow: "POST",
			});
		}
		const { body, headers } = request;
		if (!isJson(headers.get("content-type"))) {
			const told = "Send the header Content-Type: application/json";
			throw new Refused(415, INVALID_REQUEST, told);
		}
		const text = body === null ? "" : await readText(request, body);
		if (text instanceof ResortError && text.code === "too_large") {
			throw new Refused(413, INVALID_REQUEST, text.message);
		}
		return messageIn(typeof text === "string" ? text : "");
	}

	#exchange(sender: Sender, requestId: string): Exchange {
		const { answering } = this.#parts;
		const { toolbox, resources, performer } = this.#tools();
		const place = { method: "POST", route: MCP_PATH, requestId };
		return {
			toolbox,
			resources,
			provider: answering.access.house.provider?.url ?? null,
			perform: (tool, args) => performer.perform(tool, args, sender, place),
			async read(uri) {
				const operation = resources.find(uri);
				if (operation === undefined) throw new Error(`no resource ${uri}`);
				const meant = { operation, params: {}, query: {}, body: {} };
				try {
					return await use(answering, sender, meant);
				} catch (error) {
					// The library tells the message of whatever is thrown.
					const { body } = answering.failures(error, place);
					throw new Error(JSON.stringify(body));
				}
			},
		};
	}

	/** Sends what the library says: as JSON, or as a stream of one event to whoever takes nothing else. */
	async #send(
		request: Request,
		response: Response,
		own: Readonly<Record<string, string>>,
	): Promise<Response> {
		const { status } = response;
		const text = await response.text();
		if (text === "") return new Response(null, { status, headers: own });
		const isStream = status === 200 && takesOnlyStream(request);
		const shown = isStream ? `event: message\ndata: ${text}\n\n` : text;
		const contentType = isStream ? "text/event-stream" : "application/json";
		const headers = { ...own, "content-type": contentType };
		const { deliver } = this.#parts;
		return deliver(request, Body.of(shown).plain, { status, headers });
	}
}

/** The one message in a text. */
function messageIn(text: string): object {
	let message: unknown;
	try {
		message = JSON.parse(text);
	} catch {
		throw new Refused(400, PARSE_ERROR, "Body is not valid JSON");
	}
	if (
		typeof message !== "object" ||
		message === null ||
		Array.isArray(message)
	) {
		const told = "Send one message: a JSON object, no batch";
		throw new Refused(400, INVALID_REQUEST, told);
	}
	if ("method" in message && message.method === SUBSCRIBE) {
		const id = "id" in message ? message.id : null;
		throw new Refused(404, METHOD_NOT_FOUND, "Method not found", {}, id);
	}
	return message;
}

/** The request without its body, which has been read, as the library wants it. */
function plainRequest(request: Request, { connection }: Sender): Request {
	const headers = new Headers(request.headers);
	// Either is sent as the door decides.
	headers.set("accept", "application/json, text/event-stream");
	const { signal } = connection;
	return new Request(request.url, { method: "POST", headers, signal });
}

function takesOnlyStream({ headers }: Request): boolean {
	const accept = headers.get("accept");
	if (accept === null) return false;
	const json = weightOf(accept, ["application/json", "application/*", "*/*"]);
	return json === 0 && weightOf(accept, ["text/event-stream"]) > 0;
}
