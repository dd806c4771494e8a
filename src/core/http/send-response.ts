import type { Answer, Connection } from "../calls/call.ts";
import { type Coding, type Content, chooseCoding, ResponseBody } from "../calls/response-body.ts";
import { sessionCookie } from "./session-cookie.ts";

/** The header field for the request id, in requests and responses. */
export const REQUEST_ID = "x-request-id";

/** Creates a response with a large body, and counts the body as unread. */
export type CreateLargeResponse = (
	request: Request,
	body: Blob,
	init: { status: number; headers: Record<string, string> | Headers },
) => Response;

/** The default header fields of all responses. An answer may replace them. */
export const baseHeaders = {
	"content-type": "application/json",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
} as const;

/** The default header fields of public operations, whose responses pages of any origin may read. */
export const publicHeaders = {
	...baseHeaders,
	"access-control-allow-origin": "*",
} as const;

/** The status of a dropped connection in the access log and the metrics. */
const DROPPED = 444;

/**
 * Sends an answer in the request's preferred coding, or 304 if the client has it already.
 * @param base the default header fields
 */
export function sendResponse(
	request: Request,
	answer: Answer,
	{
		base,
		requestId,
		createLarge,
	}: {
		readonly base: Readonly<Record<string, string>>;
		readonly requestId: string;
		readonly createLarge: CreateLargeResponse;
	},
): Response | Promise<Response> {
	const { status, body, session } = answer;
	const coding = codingFor(request, body);
	const headers = headersOf(request, answer, base, coding);
	headers[REQUEST_ID] = requestId;
	if (session !== undefined) headers["set-cookie"] = sessionCookie(session);
	if (!(body instanceof ResponseBody)) {
		// HEAD has the header fields of GET, also of a stream.
		if (body === null && request.method !== "HEAD") {
			delete headers["content-type"];
		}
		return new Response(body, { status, headers });
	}
	if (headers.etag !== undefined && isKnown(request, headers.etag)) {
		delete headers["content-type"];
		delete headers["content-encoding"];
		return new Response(null, { status: 304, headers });
	}
	const create = (content: Content) => createResponse(request, content, { status, headers }, createLarge);
	const content = body.encoded(coding);
	return content instanceof Promise ? content.then(create) : create(content);
}

/**
 * The content and the header fields of cached answers, by coding. They never change; each response gets a
 * copy.
 */
const prepared = {
	identity: new WeakMap<Answer, PreparedResponse>(),
	gzip: new WeakMap<Answer, PreparedResponse>(),
} satisfies Record<Coding, unknown>;

interface PreparedResponse {
	readonly content: Content;
	readonly headers: Headers;
}

/**
 * A faster {@link sendResponse} for cached answers. It calls {@link sendResponse} only for requests with
 * `If-None-Match`, and while a body is being compressed for the first time.
 */
export function sendCached(
	request: Request,
	answer: Answer,
	requestId: string,
	createLarge: CreateLargeResponse,
): Response | Promise<Response> {
	const { status, body } = answer;
	const coding = codingFor(request, body);
	let ready = prepared[coding].get(answer);
	if (ready === undefined && body instanceof ResponseBody) {
		const content = body.encoded(coding);
		if (!(content instanceof Promise)) {
			const fields = headersOf(request, answer, publicHeaders, coding);
			ready = { content, headers: new Headers(fields) };
			prepared[coding].set(answer, ready);
		}
	}
	if (ready === undefined || request.headers.has("if-none-match")) {
		return sendResponse(request, answer, { base: publicHeaders, requestId, createLarge });
	}
	const { content, headers } = ready;
	const init = { status, headers };
	const response = createResponse(request, content, init, createLarge);
	response.headers.set(REQUEST_ID, requestId);
	return response;
}

function createResponse(
	request: Request,
	content: Content,
	init: Parameters<CreateLargeResponse>[2],
	createLarge: CreateLargeResponse,
): Response {
	return content instanceof Blob ? createLarge(request, content, init) : new Response(content, init);
}

/**
 * Selects the coding of a body. Answers to methods other than GET and HEAD are not compressed. They may
 * contain a secret, such as a new key, and the length of a compressed answer would reveal something about the
 * secret.
 */
function codingFor({ method, headers }: Request, body: Answer["body"]): Coding {
	return isCompressible(method, body) ? chooseCoding(headers.get("accept-encoding")) : "identity";
}

function isCompressible(method: string, body: Answer["body"]): boolean {
	const isRead = method === "GET" || method === "HEAD";
	return isRead && body instanceof ResponseBody && body.isCompressible;
}

/** Returns the header fields of an answer in a coding, except those that differ from response to response. */
function headersOf(
	{ method }: Request,
	{ headers: own, body, etag }: Answer,
	base: Readonly<Record<string, string>>,
	coding: Coding,
): Record<string, string> {
	const headers: Record<string, string> = { ...base, ...own };
	if (isCompressible(method, body)) {
		headers.vary = headers.vary ? `${headers.vary}, Accept-Encoding` : "Accept-Encoding";
	}
	if (etag !== null && body instanceof ResponseBody) {
		// Clients may store the response, but must revalidate it each time (RFC 9111, 5.2.2.4).
		headers["cache-control"] = own["cache-control"] ?? "no-cache";
		headers.etag = coding === "identity" ? etag : `${etag.slice(0, -1)}-${coding}"`;
	}
	if (coding !== "identity") headers["content-encoding"] = coding;
	return headers;
}

/**
 * Closes a connection without a response, by returning a body that fails before its first byte. For HEAD, the
 * runtime would send the header fields all the same. So for HEAD this function waits until the idle timeout
 * closes the connection, about 4 s later, because the runtime rounds the timeout up.
 */
export async function dropConnection(
	request: Request,
	{ signal, setTimeout }: Connection,
	requestId: string,
): Promise<Response> {
	if (request.method === "HEAD" && !signal.aborted) {
		setTimeout(1);
		const { promise, resolve } = Promise.withResolvers<void>();
		signal.addEventListener("abort", () => resolve());
		await promise;
	}
	// Fails without a reason, because the runtime would write a reason to stderr.
	const body = new ReadableStream({ start: (stream) => stream.error() });
	const headers = { [REQUEST_ID]: requestId };
	return new Response(body, { status: DROPPED, headers });
}

/**
 * Whether `If-None-Match` contains an ETag. The comparison is weak (RFC 9110, 13.1.2). A substring search is
 * sufficient, because ETags are enclosed in quotation marks.
 */
function isKnown({ headers }: Request, etag: string): boolean {
	const sent = headers.get("if-none-match");
	return sent !== null && (sent.trim() === "*" || sent.includes(etag));
}
