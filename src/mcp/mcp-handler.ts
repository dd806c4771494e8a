import type { PathHandler } from "../http/app.ts";
import { bearerToken, readSource } from "../http/read-call.ts";
import { baseHeaders } from "../http/send-response.ts";
import { respond, type Transport, textAnswer } from "../http/transport.ts";
import { once } from "../lib/once.ts";
import { weightOf } from "../lib/weights.ts";
import type { Answer, CallSource } from "../pipeline/call.ts";
import { INTERNAL_ERROR, InvalidRequest, readMessage } from "./mcp-message.ts";
import type { AnswerMessage } from "./protocol.ts";

const EVENT_STREAM = "text/event-stream";

/** Answers messages of the Model Context Protocol, each in a request of its own. */
export class McpHandler implements PathHandler {
	readonly path = "/mcp";
	/** Loaded with the first message: most instances have none. */
	readonly #protocol: () => Promise<AnswerMessage>;

	constructor(private readonly transport: Transport) {
		this.#protocol = once(async () => {
			const { createProtocol } = await import("./protocol.ts");
			return createProtocol(transport.pipeline);
		});
	}

	/** Answers a request; it never rejects. */
	async answer(request: Request): Promise<Response> {
		const source: CallSource = {
			...readSource(request, this.path, this.transport),
			credentials: {
				apiKey: bearerToken(request.headers.get("authorization")),
				sessionToken: "",
				signedRequest: null,
			},
		};
		// After an injected drop the library has still made an answer, which is not sent.
		const answer = await this.#answerMessage(request, source);
		const transport = this.transport;
		return respond(transport, request, source, answer, baseHeaders);
	}

	async #answerMessage(request: Request, source: CallSource): Promise<Answer> {
		const { context, failures } = this.transport.pipeline;
		try {
			const ownOrigin = new URL(context.baseUrl).origin;
			const message = await readMessage(request, ownOrigin);
			const answerMessage = await this.#protocol();
			const response = await answerMessage(
				withoutBody(request),
				message,
				source,
			);
			return await toAnswer(request, response);
		} catch (error) {
			const { status, code, message, headers, id } =
				error instanceof InvalidRequest
					? error
					: new InvalidRequest(
							failures.of(error, source.request).status,
							"Internal error",
							INTERNAL_ERROR,
						);
			const body = { jsonrpc: "2.0", error: { code, message }, id };
			return textAnswer(status, JSON.stringify(body), headers);
		}
	}
}

/** The library's response, as JSON, or as a stream of one event for a client that accepts nothing else. */
async function toAnswer(request: Request, response: Response): Promise<Answer> {
	const { status, headers } = response;
	const text = await response.text();
	// The library streams the responses of revisions before 2026-07-28.
	const isEvent = headers.get("content-type") === EVENT_STREAM;
	const json = isEvent ? text.slice(text.indexOf("{")).trimEnd() : text;
	return status === 200 && acceptsOnlyStream(request)
		? textAnswer(status, `event: message\ndata: ${json}\n\n`, {
				"content-type": EVENT_STREAM,
			})
		: textAnswer(status, json);
}

/** The library reads only the header fields: the body has been read. */
function withoutBody(request: Request): Request {
	const headers = new Headers(request.headers);
	// Either is sent, whatever the client accepts.
	headers.set("accept", `application/json, ${EVENT_STREAM}`);
	return new Request(request.url, { method: "POST", headers });
}

function acceptsOnlyStream({ headers }: Request): boolean {
	const accept = headers.get("accept") ?? "*/*";
	const json = weightOf(accept, ["application/json", "application/*", "*/*"]);
	return json === 0 && weightOf(accept, [EVENT_STREAM]) > 0;
}
