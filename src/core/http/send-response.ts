import type { Answer, Connection } from "../calls/call.ts";
import type { CachedAnswer, PreparedResponse } from "../calls/response-cache.ts";
import { type Content, chooseCoding, WrittenBody } from "../calls/written-body.ts";
import { parseApiKey } from "../lib/credential.ts";
import { sessionCookie } from "./session-cookie.ts";
import type { UnreadResponses } from "./unread-responses.ts";

/** The header field for the request id, in requests and responses. */
const REQUEST_ID = "x-request-id";

/** The request ids that are accepted from clients. Any other id is replaced by a new one. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The default header fields of all responses. An answer may replace them. */
export const baseHeaders = {
	"content-type": "application/json",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
} as const;

/** The default header fields of public operations, whose responses pages of any origin may read. */
export const publicHeaders = { ...baseHeaders, "access-control-allow-origin": "*" } as const;

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

/** Returns the request id that the client has sent if it is safe to log and not an API key, else a new id. */
export function requestIdOf({ headers }: Request): string {
	const sent = headers.get(REQUEST_ID);
	return sent !== null && SAFE_REQUEST_ID.test(sent) && parseApiKey(sent) === null
		? sent
		: Bun.randomUUIDv7();
}

/** How a response is sent. */
export interface SendOptions {
	/** The default header fields. */
	readonly base: Answer["headers"];
	readonly requestId: string;
	/** Where the cache keeps what all responses with the answer have in common. */
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
			// HEAD has the header fields of GET, also of a stream.
			if (body === null && request.method !== "HEAD") delete headers["content-type"];
			return createResponse(body, status, headers, requestId);
		}
		const written = WrittenBody.write(body, answer.hasEtag);
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
			// `Headers` are faster to copy.
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

/**
 * Whether the answer to a request may be compressed. Answers to methods other than GET and HEAD may contain a
 * secret, such as a new key, and the length of a compressed answer would reveal something about the secret.
 */
function isRead({ method }: Request): boolean {
	return method === "GET" || method === "HEAD";
}

/** Returns the header fields of an answer that do not depend on the coding. */
function headersOf({ headers, session }: Answer, base: Answer["headers"]): Record<string, string> {
	const fields: Record<string, string> = { ...base, ...headers };
	if (session !== undefined) fields["set-cookie"] = sessionCookie(session);
	return fields;
}

/**
 * Returns an answer that closes the connection without a response, because its body fails before the first
 * byte. For HEAD, the runtime would send the header fields all the same. So for HEAD this function waits
 * until the idle timeout closes the connection, about 4 s later, because the runtime rounds the timeout up.
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
 * Whether `If-None-Match` contains an ETag. The comparison is weak (RFC 9110, 13.1.2). A substring search is
 * sufficient, because ETags are enclosed in quotation marks.
 */
function isKnown({ headers }: Request, etag: string): boolean {
	const sent = headers.get("if-none-match");
	return sent !== null && (sent.trim() === "*" || sent.includes(etag));
}
