import { type Answer, streamAnswer } from "../../core/calls/answer.ts";
import type { CallSource } from "../../core/calls/call.ts";
import type { PathHandler } from "../../core/http/app.ts";
import { allowing, isPreflight, refusalOfPage } from "../../core/http/origin-check.ts";
import { bearerToken, isJson, readSource, readText } from "../../core/http/read-call.ts";
import { baseHeaders, observe, respond, type Transport, textAnswer } from "../../core/http/send-response.ts";
import { once } from "../../core/lib/once.ts";
import { isNestedDeeper, isRecord } from "../../core/lib/record.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import { weightOf } from "../../core/lib/weights.ts";
import type { Operation } from "../../core/resort/operation.ts";
import type { AnswerMessage } from "./protocol.ts";

const EVENT_STREAM = "text/event-stream";

/** The origins of pages of this machine. MCP Inspector is such a page. */
const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** The path of messages. It is accepted with a trailing slash too, because some clients add one. */
const PATH = "/mcp";

/** Answers messages of the Model Context Protocol. Each HTTP request contains one message. */
export class McpHandler {
	readonly handlers: readonly PathHandler[] = [PATH, `${PATH}/`].map((path) => ({
		path,
		answer: (request) => this.#answer(request),
	}));
	/** The MCP server. It is loaded with the first message, because most instances never receive a message. */
	readonly #protocol = once(async (): Promise<AnswerMessage> => {
		const { createProtocol } = await import("./protocol.ts");
		return createProtocol(this.transport.pipeline, this.operations);
	});

	/** @param isLocal whether the instance accepts connections from this machine only */
	constructor(
		private readonly transport: Transport,
		private readonly operations: readonly Operation[],
		private readonly isLocal: boolean,
	) {}

	/** Answers a request. Never rejects. */
	async #answer(request: Request): Promise<Response> {
		const source: CallSource = {
			...readSource(request, PATH, this.transport),
			credentials: {
				apiKey: keyIn(request.headers.get("authorization") ?? ""),
				sessionToken: "",
				signedRequest: null,
			},
		};
		const cors = this.#allowLocalPage(request);
		const answer =
			cors !== null && isPreflight(request)
				? textAnswer(204, "")
				: // If a fault of the testkit drops the connection, the library's answer is not sent.
					await this.#answerMessage(request, source, cors !== null);
		const base = { ...baseHeaders, ...cors };
		return answer instanceof ReadableStream
			? this.#stream(request, source, answer, base)
			: respond(this.transport, request, { source, answer, base });
	}

	/** Returns the CORS header fields for a page of this machine; null for all other senders. */
	#allowLocalPage({ headers }: Request): Answer["headers"] | null {
		const origin = headers.get("origin") ?? "";
		if (!this.isLocal || !LOCAL_PAGE.test(origin)) return null;
		const asked = headers.get("access-control-request-headers") ?? "";
		return { ...allowing(origin, "POST", asked), vary: "Origin" };
	}

	/**
	 * @param isAllowed whether the request comes from a page that is allowed to send it
	 * @returns a stream of events if the client wants to follow the progress of a call; otherwise the answer
	 */
	async #answerMessage(
		request: Request,
		source: CallSource,
		isAllowed: boolean,
	): Promise<Answer | ReadableStream<Uint8Array>> {
		const { costlyReads, failures } = this.transport.pipeline;
		try {
			if (!isAllowed) requireOwnPage(request, this.transport);
			const message = await readMessage(request, this.transport);
			await costlyReads.waitForTurn(source.address(), source.connection.signal);
			const answerMessage = await this.#protocol();
			const streams = wantsProgress(message) && acceptsStream(request);
			const response = await answerMessage(withoutBody(request), message, source, streams);
			const { headers, body } = response;
			const isStream = headers.get("content-type") === EVENT_STREAM;
			return streams && isStream && body !== null ? body : await toAnswer(request, response);
		} catch (error) {
			if (error instanceof InvalidMessage) {
				return errorAnswer(error, error.status === 405 ? { allow: "POST" } : {});
			}
			const { status, headers, failure } = failures.of(error, source.record);
			const code = status === 400 ? PARSE_ERROR : status < 500 ? INVALID_REQUEST : INTERNAL_ERROR;
			return errorAnswer(new InvalidMessage(status, failure?.body.error ?? "", code), headers);
		}
	}

	/** Sends a stream that the library created. Notifies the observers of requests when it has ended. */
	#stream(
		request: Request,
		source: CallSource,
		events: ReadableStream<Uint8Array>,
		base: Answer["headers"],
	): Response | Promise<Response> {
		const { responses, observers } = this.transport.server;
		const { record } = source;
		const reader = events.getReader();
		const end = once(async () => {
			observe(observers, request, await response, record);
		});
		const body = new ReadableStream<Uint8Array>({
			async pull(controller) {
				const { done, value } = await reader.read();
				if (!done && !record.fault?.drop) return controller.enqueue(value);
				if (done) controller.close();
				else controller.error();
				await end();
			},
			async cancel(reason) {
				await end();
				await reader.cancel(reason);
			},
		});
		const response = responses.send(request, streamAnswer(body), { base, requestId: record.requestId });
		return response;
	}
}

/** Converts the library's response to JSON, or to a stream of one event if the client refuses JSON. */
async function toAnswer(request: Request, response: Response): Promise<Answer> {
	const { status } = response;
	// The library's validator describes an invalid parameter with JSON in the message of an error.
	const json = (await response.text()).replace(
		/^(\{"j[^{]*"error":\{)"code":-3260[23],"message":"[^"[]*\[\\n[^\]]*\\"path\\": \[[^\]]*\\"(\w+)\\"\\n *\].*/,
		'$1"code":-32602,"message":"Missing or invalid parameter: $2"}}',
	);
	return status === 200 && acceptsOnlyStream(request)
		? textAnswer(status, `event: message\ndata: ${json}\n\n`, { "content-type": EVENT_STREAM })
		: textAnswer(status, json);
}

/** Whether a message calls a tool that waits, and also requests progress notifications. */
function wantsProgress(message: object): boolean {
	const { method, params } = message as Record<string, unknown>;
	if (method !== "tools/call" || !isRecord(params)) return false;
	const { _meta: meta, arguments: args } = params;
	const hasToken = isRecord(meta) && meta.progressToken !== undefined;
	return hasToken && isRecord(args) && args.wait !== undefined;
}

/** Returns the key in `Authorization`; null if there is none. `Bearer` is optional: users forget it. */
function keyIn(authorization: string): string | null {
	return /^a[ir]_/.test(authorization) ? authorization : bearerToken(authorization);
}

function acceptsStream({ headers }: Request): boolean {
	return weightOf(headers.get("accept") ?? "", [EVENT_STREAM]) > 0;
}

/** Returns a copy of the request without its body, which has been read already. */
function withoutBody(request: Request): Request {
	const headers = new Headers(request.headers);
	// The library requires both media types. `toAnswer` writes the one that the client accepts.
	headers.set("accept", `application/json, ${EVENT_STREAM}`);
	return new Request(request.url, { method: "POST", headers });
}

function acceptsOnlyStream(request: Request): boolean {
	const accept = request.headers.get("accept") ?? "*/*";
	const json = weightOf(accept, ["application/json", "application/*", "*/*"]);
	return json === 0 && acceptsStream(request);
}

/** The error codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** The maximum nesting depth of a message. Clients describe their capabilities in up to 8 levels today. */
const MAX_DEPTH = 32;

class InvalidMessage extends Error {
	/** @param id the id of the message */
	constructor(
		readonly status: number,
		message: string,
		readonly code = INVALID_REQUEST,
		readonly id: unknown = null,
	) {
		super(message);
	}
}

function errorAnswer({ status, code, message, id }: InvalidMessage, headers: Answer["headers"]): Answer {
	return textAnswer(status, JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id }), headers);
}

/** @throws InvalidMessage if a page of another service has sent the request */
function requireOwnPage(request: Request, { pipeline }: Transport): void {
	const hint = "Call /mcp from a program, or from a page of this service.";
	const refusal = refusalOfPage(request, pipeline.context, hint);
	if (refusal !== null) throw new InvalidMessage(403, `${refusal.message}. ${refusal.details.hint}`);
}

/** Reads the single message of a request. @throws InvalidMessage; ResortError if the body cannot be read */
async function readMessage(request: Request, transport: Transport): Promise<object> {
	const { method, headers } = request;
	if (method !== "POST") throw new InvalidMessage(405, "Send messages with POST");
	if (!isJson(headers.get("content-type"))) {
		throw new InvalidMessage(415, "Send the header Content-Type: application/json");
	}
	const text = await readText(request, transport);
	if (text instanceof ResortError) throw text;
	return parseMessage(text);
}

function parseMessage(text: string): object {
	let message: unknown;
	try {
		message = JSON.parse(text);
	} catch {
		throw new InvalidMessage(400, "Body is not valid JSON", PARSE_ERROR);
	}
	if (isNestedDeeper(message, MAX_DEPTH)) {
		throw new InvalidMessage(400, "The message is nested too deeply");
	}
	if (!isRecord(message)) throw new InvalidMessage(400, "Send one JSON object, not a batch");
	const { method, params, id } = message;
	// The library knows this method, but the server publishes nothing to subscribe to.
	if (method === "subscriptions/listen") {
		throw new InvalidMessage(404, "Method not found", METHOD_NOT_FOUND, id);
	}
	if (!isRecord(params)) return message;
	// Some clients send null if there are no arguments. The library would refuse null.
	if (params.arguments === null) delete params.arguments;
	// The library would ignore such a parameter, and the tool would run without arguments.
	const misspelt = Object.keys(params).find((name) => /^arg(ument)?s?$/i.test(name) && name !== "arguments");
	if (method === "tools/call" && misspelt !== undefined) {
		throw new InvalidMessage(400, `Send arguments instead of ${misspelt}`, INVALID_PARAMS, id);
	}
	return message;
}
