import type { Answer, Connection } from "../pipeline/call.ts";
import {
	type Content,
	chooseCoding,
	ResponseBody,
} from "../pipeline/response-body.ts";
import { sessionCookie } from "./session-cookie.ts";

/** The header that names a request, in the request and in its response. */
export const REQUEST_ID = "x-request-id";

/** Creates a response with a large body, which counts for the memory of unread responses. */
export type CreateLargeResponse = (
	request: Request,
	body: Blob,
	init: { status: number; headers: Record<string, string> },
) => Response;

/** The header fields of all responses, unless an answer replaces them. */
export const baseHeaders = {
	"content-type": "application/json",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
} as const;

/** Those of operations that need no credential: pages of any origin may read them. */
export const publicHeaders = {
	...baseHeaders,
	"access-control-allow-origin": "*",
} as const;

/** In the access log and the metrics, the status of a connection that was closed without a response. */
const DROPPED = 444;

/**
 * Sends an answer in the coding that the request prefers, or 304.
 * @param base the header fields that the answer does not set
 */
export function sendResponse(
	request: Request,
	{ status, headers: own, body, etag, session }: Answer,
	base: Readonly<Record<string, string>>,
	requestId: string,
	createLarge: CreateLargeResponse,
): Response | Promise<Response> {
	const headers: Record<string, string> = {
		...base,
		...own,
		[REQUEST_ID]: requestId,
	};
	if (session !== undefined) headers["set-cookie"] = sessionCookie(session);
	if (!(body instanceof ResponseBody)) {
		return new Response(body, { status, headers });
	}
	const { method } = request;
	// Answers of other methods may contain a secret, such as a new key, and compression would leak its length.
	const isCompressible =
		body.isCompressible && (method === "GET" || method === "HEAD");
	const coding = isCompressible
		? chooseCoding(request.headers.get("accept-encoding"))
		: "identity";
	if (isCompressible) {
		headers.vary = headers.vary
			? `${headers.vary}, Accept-Encoding`
			: "Accept-Encoding";
	}
	if (etag !== null) {
		// Clients may store it, but must revalidate it (RFC 9111, 5.2.2.4).
		headers["cache-control"] = own["cache-control"] ?? "no-cache";
		headers.etag =
			coding === "identity" ? etag : `${etag.slice(0, -1)}-${coding}"`;
		if (isKnown(request, headers.etag)) {
			delete headers["content-type"];
			return new Response(null, { status: 304, headers });
		}
	}
	const create = (content: Content) =>
		content instanceof Blob
			? createLarge(request, content, { status, headers })
			: new Response(content, { status, headers });
	if (coding === "identity") return create(body.plain);
	headers["content-encoding"] = coding;
	const content = body.compressed(coding);
	return content instanceof Promise ? content.then(create) : create(content);
}

/** The header fields of cached answers without a coding. No request changes them: a response copies them. */
const cachedHeaders = new WeakMap<Answer, Headers>();

/**
 * As {@link sendResponse}, for a cached answer without a coding or a condition, in 0.4 to 1 us less.
 * @returns null for any other request or answer
 */
export function sendCachedPlain(
	{ headers: sent }: Request,
	answer: Answer,
	requestId: string,
): Response | null {
	const { status, body, etag } = answer;
	if (!(body instanceof ResponseBody) || body.plain instanceof Blob)
		return null;
	const { isCompressible, plain } = body;
	if (isCompressible && sent.has("accept-encoding")) return null;
	if (sent.has("if-none-match")) return null;
	let headers = cachedHeaders.get(answer);
	if (headers === undefined) {
		headers = new Headers({
			...publicHeaders,
			...(etag !== null && { "cache-control": "no-cache", etag }),
			...answer.headers,
		});
		if (isCompressible) headers.append("vary", "Accept-Encoding");
		cachedHeaders.set(answer, headers);
	}
	const response = new Response(plain, { status, headers });
	response.headers.set(REQUEST_ID, requestId);
	return response;
}

/**
 * Closes a connection without a response: the runtime does so if a body fails before any of it was sent. To HEAD it
 * would send the header fields all the same, so there the connection is closed by its idle timeout, after some 4 s.
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
	// Without a reason: one would be written to stderr.
	const body = new ReadableStream({ start: (stream) => stream.error() });
	const headers = { [REQUEST_ID]: requestId };
	return new Response(body, { status: DROPPED, headers });
}

/**
 * Whether `If-None-Match` contains an ETag; the comparison is weak (RFC 9110, 13.1.2). The quotation marks around an
 * ETag make it impossible that another one contains it.
 */
function isKnown({ headers }: Request, etag: string): boolean {
	const sent = headers.get("if-none-match");
	return sent !== null && (sent.trim() === "*" || sent.includes(etag));
}
