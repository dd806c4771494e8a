import type { Answering } from "../http/answering.ts";
import { bearer, type HttpOptions, senderOf } from "../http/call.ts";
import {
	type Observer,
	observe,
	REQUEST_ID,
	requestIdFor,
} from "../http/exchange.ts";
import { dropConnection } from "../http/faults.ts";
import { headersOfAll } from "../http/headers.ts";
import type { Deliver } from "../http/send.ts";
import { nothingFound, type Sender, use } from "../http/use.ts";
import { once } from "../lib/once.ts";
import { weightOf } from "../lib/weights.ts";
import { Body } from "../pipeline/body.ts";
import type { Operation } from "../resort/operation.ts";
import { INTERNAL_ERROR, InvalidRequest, readMessage } from "./mcp-message.ts";
import { MCP_PATH } from "./mcp-path.ts";
import { resourcesOf } from "./mcp-resources.ts";
import { Performer } from "./perform.ts";
import type { MessageHandler } from "./protocol.ts";
import { Toolbox } from "./toolbox.ts";

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

/** Answers messages of the Model Context Protocol, each in a request of its own. */
export class McpDoor {
	readonly path = MCP_PATH;
	readonly #parts: McpParts;
	readonly #tools: () => {
		readonly toolbox: Toolbox;
		readonly resources: ReturnType<typeof resourcesOf>;
		readonly performer: Performer;
	};

	constructor(parts: McpParts) {
		this.#parts = parts;
		// Most instances are asked over HTTP alone.
		this.#tools = once(() => {
			const { answering, operations } = parts;
			const { context } = answering.access;
			const toolbox = new Toolbox(operations, context);
			const resources = resourcesOf(operations, context.baseUrl);
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
			isVisit: true,
			found: nothingFound(),
		};
		const response = await this.#respond(request, sender, requestId);
		if (observer !== null) {
			const { found } = sender;
			const place = { path: MCP_PATH, id: found.operation?.id };
			observe(observer, request, response, place, startedAt, found);
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
			const { baseUrl } = this.#parts.answering.access.context;
			const message = await readMessage(request, new URL(baseUrl).origin);
			const { answerMessage } = await import("./protocol.ts");
			const asked = plainRequest(request, sender);
			const exchange = this.#exchange(sender, requestId);
			const response = await answerMessage(asked, message, exchange);
			// The library has made an answer of the failure.
			if (sender.found.fault?.drop) {
				return await dropConnection(request, sender.connection);
			}
			return await this.#send(request, response, own);
		} catch (error) {
			const { status, code, message, headers, id } =
				error instanceof InvalidRequest
					? error
					: this.#unforeseen(error, requestId);
			const body = { jsonrpc: "2.0", error: { code, message }, id };
			return new Response(JSON.stringify(body), {
				status,
				headers: { ...own, ...headers },
			});
		}
	}

	#unforeseen(error: unknown, requestId: string): InvalidRequest {
		const place = { method: "POST", route: MCP_PATH, requestId };
		const { status } = this.#parts.answering.failures(error, place);
		return new InvalidRequest(status, INTERNAL_ERROR, "Internal error");
	}

	#exchange(sender: Sender, requestId: string): MessageHandler {
		const { answering } = this.#parts;
		const { toolbox, resources, performer } = this.#tools();
		const place = { method: "POST", route: MCP_PATH, requestId };
		return {
			toolbox,
			resources: [...resources.keys()],
			provider: answering.access.context.provider?.url ?? null,
			registration: answering.access.context.registration,
			perform: (tool, args) => performer.perform(tool, args, sender, place),
			async read(uri) {
				const [, operation] =
					[...resources].find(([one]) => one.uri === uri) ?? [];
				if (operation === undefined) throw new Error(`no resource ${uri}`);
				const meant = { operation, params: {}, query: {}, body: {} };
				try {
					return (await use(answering, sender, meant)).text;
				} catch (error) {
					// The library tells the message of whatever is thrown.
					const { status, body } = answering.failures(error, place);
					sender.found.refused = status;
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
