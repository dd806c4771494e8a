import type { Server } from "bun";
import { type Answer, type Content, chooseCoding, WrittenBody } from "../calls/answer.ts";
import type { CallSource, Connection, RequestRecord } from "../calls/call.ts";
import type { Pipeline } from "../calls/handle.ts";
import type { CachedAnswer, PreparedResponse } from "../calls/response-cache.ts";
import type { Gate } from "../lib/gate.ts";
import { isRead, originalRequest, REQUEST_ID } from "./received-request.ts";
import { sessionCookie } from "./session-cookie.ts";

/** The route that logs and metrics show for an unknown path. */
export const UNKNOWN_ROUTE = "unknown";

/** An answered request. The client can choose only one value in it: the request id. */
export interface CompletedRequest extends Readonly<RequestRecord> {
	readonly status: number;
	readonly durationMs: number;
}

/** Receives every request after its response has been created. */
export type RequestObserver = (completed: CompletedRequest, request: Request) => void;

/** The parts of the server that request handlers use. */
export interface HttpServer {
	/** Returns the key by which limits count the client's address. */
	readonly clientKey: (request: Request) => string;
	/** Returns the address at the other end of the connection. Null without `--log-addresses`. */
	readonly peerOf: ((request: Request) => string) | null;
	/** Sets the idle timeout of a request's connection. */
	readonly setTimeout: (request: Request, seconds: number) => void;
	readonly responses: ResponseSender;
	readonly observers: readonly RequestObserver[];
}

/** The services that all handlers of HTTP requests use: the handlers of the API, MCP and the forms of /me. */
export interface Transport {
	readonly pipeline: Pipeline;
	readonly server: HttpServer;
	/** The gate of request bodies that are being received. */
	readonly bodies: Gate;
}

/** Creates the answer for a text. An empty text becomes an empty body. */
export function textAnswer(status: number, text: string, headers: Answer["headers"] = {}): Answer {
	return { status, headers, body: text === "" ? null : text, failure: null };
}

/**
 * Sends the answer to a request, or closes the connection if a test requires it. Notifies the observers.
 * @param base the default header fields
 */
export async function respond(
	{ server: { responses, observers } }: Transport,
	request: Request,
	{
		source,
		answer,
		base,
	}: {
		readonly source: Omit<CallSource, "credentials">;
		readonly answer: Answer;
		readonly base: Answer["headers"];
	},
): Promise<Response> {
	const { record, connection } = source;
	const { requestId, isDropped } = record;
	const sent = isDropped ? await droppingAnswer(request, connection) : answer;
	const response = await responses.send(request, sent, { base: isDropped ? {} : base, requestId });
	return observe(observers, request, response, record);
}

/** Notifies the observers of a request. Returns the response. */
export function observe(
	observers: readonly RequestObserver[],
	request: Request,
	response: Response,
	record: RequestRecord,
): Response {
	if (observers.length === 0) return response;
	const durationMs = performance.now() - record.startedAt;
	const completed = { ...record, status: response.status, durationMs };
	for (const observer of observers) observer(completed, request);
	return response;
}

/** The default header fields of all responses. An answer may replace them. */
export const baseHeaders = {
	"content-type": "application/json",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
} as const;

/** The default header fields of public operations. Pages of any origin may read all fields and the body. */
export const publicHeaders = {
	...baseHeaders,
	"access-control-allow-origin": "*",
	"access-control-expose-headers": "*",
} as const;

/** The status of a dropped connection in the access log and the metrics. */
const DROPPED = 444;

/** The answer to a request for a large body while too many large bodies are unread. */
const tooManyUnread: Answer = {
	status: 503,
	headers: { "retry-after": "5" },
	body: {
		error: "Too many unread responses",
		hint: "Read the open responses to the end, or request part of the list with limit and offset.",
	},
	failure: null,
};

/** The options of sending a response. */
export interface SendOptions {
	/** The default header fields. */
	readonly base: Answer["headers"];
	readonly requestId: string;
	/** The place in the cache for the common part of all responses with the answer. */
	readonly prepared?: CachedAnswer["prepared"];
}

/** Sends answers. All responses are created here. */
export class ResponseSender {
	/** @param unread the large responses that their clients may not have read yet */
	constructor(private readonly unread: Pick<UnreadResponses, "admits">) {}

	/** Sends an answer in the request's preferred coding, or 304 if the client has it already. */
	send(request: Request, answer: Answer, options: SendOptions): Response | Promise<Response> {
		const { base, requestId, prepared = {} } = options;
		const { status, body } = answer;
		if (body === null || body instanceof ReadableStream) {
			const headers = headersOf(answer, base);
			// The response to HEAD has the header fields of GET, even for a stream.
			if (body === null && request.method !== "HEAD") delete headers["content-type"];
			return createResponse(body, status, headers, requestId);
		}
		const written = WrittenBody.write(body, answer.hasEtag);
		// Compresses only responses to GET and HEAD. Other responses may contain a secret, such as a new key, and
		// their compressed length would reveal something about the secret.
		const isCompressible = written.isCompressible && isRead(request);
		const coding = isCompressible ? chooseCoding(request.headers.get("accept-encoding")) : "identity";
		let ready = prepared[coding];
		if (ready === undefined) {
			const content = written.encoded(coding);
			if (content instanceof Promise) {
				return content.then(() => this.send(request, { ...answer, body: written }, options));
			}
			const fields = headersOf(answer, base);
			if (isCompressible) fields.vary = fields.vary ? `${fields.vary}, Accept-Encoding` : "Accept-Encoding";
			if (coding !== "identity") fields["content-encoding"] = coding;
			let { etag } = written;
			if (etag !== null) {
				if (coding !== "identity") etag = `${etag.slice(0, -1)}-${coding}"`;
				fields.etag = etag;
				// Clients may store the response, but must revalidate it each time (RFC 9111, 5.2.2.4).
				fields["cache-control"] = answer.headers["cache-control"] ?? "no-cache";
			}
			// The fields of a cached answer are copied for each response, which is faster with `Headers`.
			const headers = options.prepared === undefined ? fields : new Headers(fields);
			ready = { content, headers, etag };
			prepared[coding] = ready;
		}
		const { content, headers, etag } = ready;
		if (etag !== null && isKnown(request, etag)) {
			const response = createResponse(null, 304, headers, requestId);
			response.headers.delete("content-type");
			response.headers.delete("content-encoding");
			return response;
		}
		if (content instanceof Blob && !this.unread.admits(request, content)) {
			return this.send(request, tooManyUnread, { base: baseHeaders, requestId });
		}
		return createResponse(content, status, headers, requestId);
	}
}

/** Creates a response. The header fields are copied. */
function createResponse(
	body: Content | ReadableStream | null,
	status: number,
	headers: PreparedResponse["headers"],
	requestId: string,
): Response {
	const response = new Response(body, { status, headers });
	response.headers.set(REQUEST_ID, requestId);
	return response;
}

/** Returns the header fields of an answer that do not depend on the coding. */
function headersOf({ headers, session }: Answer, base: Answer["headers"]): Record<string, string> {
	const fields: Record<string, string> = { ...base, ...headers };
	if (session !== undefined) fields["set-cookie"] = sessionCookie(session);
	return fields;
}

/**
 * Returns an answer that closes the connection without a response, because its body fails before the first
 * byte. For HEAD, the runtime would still send the header fields, so this function waits until the idle
 * timeout closes the connection, about 4 s later.
 */
export async function droppingAnswer(request: Request, { signal, setTimeout }: Connection): Promise<Answer> {
	if (request.method === "HEAD" && !signal.aborted) {
		setTimeout(1);
		const { promise, resolve } = Promise.withResolvers<void>();
		signal.addEventListener("abort", () => resolve());
		await promise;
	}
	// Fails without a reason, because the runtime would write a reason to stderr.
	const body = new ReadableStream({ start: (stream) => stream.error() });
	return { status: DROPPED, headers: {}, body, failure: null };
}

/**
 * Whether `If-None-Match` contains an ETag, compared weakly (RFC 9110, 13.1.2). A substring search is
 * sufficient, because ETags are enclosed in quotation marks.
 */
function isKnown({ headers }: Request, etag: string): boolean {
	const sent = headers.get("if-none-match");
	return sent !== null && (sent.trim() === "*" || sent.includes(etag));
}

const MIB = 1024 * 1024;

/** The size from which a body is counted. */
const LARGE_BYTES = 64 * 1024;

/** The maximum number of bytes of bodies that clients have not read yet. */
const MAX_BYTES = 256 * MIB;

/** If more bytes than this are counted, bodies that clients have read are removed from the count. */
const CLEANED_FROM_BYTES = 16 * MIB;

/** The time without reading after which a client's connection is closed; rounded up to a multiple of 4 s. */
const IDLE_SECONDS = 15;

/**
 * The methods of the server that {@link UnreadResponses} uses. `requestIP` returns null after the response
 * was sent or the client has left.
 */
type Connections = Pick<Server<undefined>, "requestIP" | "timeout">;

/**
 * Bounds the memory of unread large responses: refuses more of them with 503. The runtime sends a Blob
 * without copying it, so a body that many clients read counts once.
 */
export class UnreadResponses {
	/** The large responses that their clients may not have read yet. */
	#unread: { readonly request: Request; readonly body: Blob }[] = [];
	/**
	 * An upper bound of the unread bytes: their number at the last clean-up plus the sizes of all bodies since
	 * then.
	 */
	#maxBytes = 0;

	constructor(
		private readonly server: Connections,
		private readonly maxBytes = MAX_BYTES,
		private readonly idleSeconds = IDLE_SECONDS,
	) {}

	/**
	 * Counts a large body as unread, and sets the idle timeout of the connection.
	 * @returns false if the unread bodies exceed the bound, so the body must not be sent
	 */
	admits(received: Request, body: Blob): boolean {
		if (body.size < LARGE_BYTES || received.method === "HEAD") return true;
		const request = originalRequest(received);
		this.#unread.push({ request, body });
		this.#maxBytes += body.size;
		if (this.#maxBytes > CLEANED_FROM_BYTES && this.bytes > this.maxBytes) {
			this.#unread.pop();
			return false;
		}
		this.server.timeout(request, this.idleSeconds);
		return true;
	}

	/** The total size of the bodies that are unread now. */
	get bytes(): number {
		this.#unread = this.#unread.filter(({ request }) => this.server.requestIP(request) !== null);
		const bodies = new Set(this.#unread.map(({ body }) => body));
		this.#maxBytes = [...bodies].reduce((sum, { size }) => sum + size, 0);
		return this.#maxBytes;
	}
}
