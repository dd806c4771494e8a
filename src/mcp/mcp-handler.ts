import { instructionsFor } from "../content/mcp-texts.ts";
import type { PathHandler } from "../http/app.ts";
import { bearerToken, readSource } from "../http/read-call.ts";
import { baseHeaders } from "../http/send-response.ts";
import { respond, type Transport, textAnswer } from "../http/transport.ts";
import { once } from "../lib/once.ts";
import { weightOf } from "../lib/weights.ts";
import type { Answer, CallSource } from "../pipeline/call.ts";
import { handle } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import type { Operation } from "../resort/operation.ts";
import { INTERNAL_ERROR, InvalidRequest, readMessage } from "./mcp-message.ts";
import { MCP_PATH } from "./mcp-path.ts";
import { resourcesOf } from "./mcp-resources.ts";
import type { MessageHandler } from "./protocol.ts";
import { runTool } from "./run-tool.ts";
import { Toolbox } from "./toolbox.ts";

/** Answers messages of the Model Context Protocol, each in a request of its own. */
export class McpHandler implements PathHandler {
	readonly path = MCP_PATH;
	readonly #transport: Transport;
	/** Created with the first message: most instances have none. */
	readonly #offer: () => Pick<
		MessageHandler,
		"toolbox" | "resources" | "instructions"
	>;

	constructor(transport: Transport, operations: readonly Operation[]) {
		this.#transport = transport;
		this.#offer = once(() => {
			const { context } = transport.pipeline;
			const { provider, registration, baseUrl } = context;
			return {
				toolbox: new Toolbox(context),
				resources: resourcesOf(operations, baseUrl),
				instructions: instructionsFor(provider?.url ?? null, registration),
			};
		});
	}

	/** Answers a request; it never rejects. */
	async answer(request: Request): Promise<Response> {
		const startedAt = performance.now();
		const source: CallSource = {
			...readSource(request, MCP_PATH, this.#transport),
			credentials: {
				apiKey: bearerToken(request.headers.get("authorization")),
				sessionToken: "",
				signedRequest: null,
			},
		};
		// After an injected drop the library has still made an answer, which is not sent.
		const answer = await this.#answerMessage(request, source);
		const transport = this.#transport;
		return respond(transport, request, source, answer, baseHeaders, startedAt);
	}

	async #answerMessage(request: Request, source: CallSource): Promise<Answer> {
		try {
			const { baseUrl } = this.#transport.pipeline.context;
			const message = await readMessage(request, new URL(baseUrl).origin);
			const { answerMessage } = await import("./protocol.ts");
			const response = await answerMessage(
				withoutBody(request),
				message,
				this.#messageHandler(source),
			);
			return await toAnswer(request, response);
		} catch (error) {
			const { status, code, message, headers, id } =
				error instanceof InvalidRequest
					? error
					: this.#unexpected(error, source);
			const body = { jsonrpc: "2.0", error: { code, message }, id };
			return textAnswer(status, JSON.stringify(body), headers);
		}
	}

	#unexpected(error: unknown, { request }: CallSource): InvalidRequest {
		const { status } = this.#transport.pipeline.failures.of(error, request);
		return new InvalidRequest(status, INTERNAL_ERROR, "Internal error");
	}

	#messageHandler(source: CallSource): MessageHandler {
		const { pipeline } = this.#transport;
		const offer = this.#offer();
		return {
			...offer,
			perform: (tool, args) =>
				runTool(pipeline, offer.toolbox, tool, args, source),
			async read(operation) {
				const target = { operation, params: {}, query: {}, body: {} };
				const { status, body, failure } = await handle(pipeline, {
					...source,
					...target,
				});
				if (failure !== null) {
					source.record.refused = status;
					// The library responds with the message of the error.
					throw new Error(JSON.stringify(failure.body));
				}
				return new Response(
					body instanceof ResponseBody ? body.plain : body,
				).text();
			},
		};
	}
}

/** The library's response, as JSON, or as a stream of one event for a client that accepts nothing else. */
async function toAnswer(request: Request, response: Response): Promise<Answer> {
	const { status } = response;
	const text = await response.text();
	const isStream = status === 200 && acceptsOnlyStream(request);
	return isStream
		? textAnswer(status, `event: message\ndata: ${text}\n\n`, {
				"content-type": "text/event-stream",
			})
		: textAnswer(status, text);
}

/** The library reads only the header fields: the body has been read. */
function withoutBody(request: Request): Request {
	const headers = new Headers(request.headers);
	// Either is sent, whatever the client accepts.
	headers.set("accept", "application/json, text/event-stream");
	return new Request(request.url, { method: "POST", headers });
}

/** `application/json` without a weight in `Accept`, as clients of the protocol send it. */
const NAMES_JSON = /(^|,)\s*application\/json\s*(,|$)/;

function acceptsOnlyStream({ headers }: Request): boolean {
	const accept = headers.get("accept");
	if (accept === null || NAMES_JSON.test(accept)) return false;
	const json = weightOf(accept, ["application/json", "application/*", "*/*"]);
	return json === 0 && weightOf(accept, ["text/event-stream"]) > 0;
}
