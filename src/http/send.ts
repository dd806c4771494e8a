import { Body } from "../pipeline/body.ts";
import { type Content, chooseCoding } from "../pipeline/coding.ts";
import type { Ready } from "../pipeline/ready.ts";
import { REQUEST_ID, requestIdFor } from "./exchange.ts";

/** Gives a body to a reader; large ones are bounded by what readers leave waiting. */
export type Deliver = (
	request: Request,
	content: Content,
	init: ResponseInit,
) => Response;

/** How a body is sent. */
export interface Sending {
	readonly status: number;
	/**
	 * Its header fields, but for those that differ between requests: these are written into the same object each
	 * time. A response copies it, which costs less than to write all fields or to change those of the response.
	 */
	readonly headers: Headers;
	/** Whether it carries a validator, and is not sent again to those who have it (RFC 9110, 13.1.2). */
	readonly hasEtag: boolean;
	/** Its request id, where that has been told already, such as to the log; else it is found here. */
	readonly requestId?: string;
}

/** Sends a body in the coding that the request asks for, or says that it is not modified. */
export function send(
	request: Request,
	body: Body,
	{ status, headers: shared, hasEtag, requestId }: Sending,
	deliver: Deliver,
): Response | Promise<Response> {
	const { isCompressed } = body;
	const coding = isCompressed
		? chooseCoding(request.headers.get("accept-encoding"))
		: "identity";
	const headers = isCompressed ? varying(shared) : shared;
	headers.set(REQUEST_ID, requestId ?? requestIdFor(request));
	if (hasEtag) {
		const etag = body.etag(coding);
		headers.set("etag", etag);
		if (isKnown(request, etag)) return notModified(headers);
	}
	if (coding === "identity") {
		return deliver(request, body.plain, { status, headers });
	}
	headers.set("content-encoding", coding);
	const content = body.coded(coding);
	if (!(content instanceof Promise)) {
		return deliver(request, content, { status, headers });
	}
	const own = new Headers(headers);
	return content.then((made) =>
		deliver(request, made, { status, headers: own }),
	);
}

/** Sends an answer that is kept ready. */
export function sendReady(
	request: Request,
	{ body, headers, hasEtag }: Ready,
	deliver: Deliver,
): Response | Promise<Response> {
	return send(request, body, { status: 200, headers, hasEtag }, deliver);
}

/**
 * Sends a text that is made for one request and kept nowhere. Only answers to GET and HEAD are compressed: another one
 * may tell a secret, such as a new key.
 * @param headers all of them, with the request id
 */
export function sendOnce(
	request: Request,
	text: string,
	{ status, headers }: { status: number; headers: Record<string, string> },
	deliver: Deliver,
): Response | Promise<Response> {
	const { method } = request;
	if (method !== "GET" && method !== "HEAD") {
		return deliver(request, text, { status, headers });
	}
	const sending: Sending = {
		status,
		headers: new Headers(headers),
		hasEtag: false,
		...(headers[REQUEST_ID] && { requestId: headers[REQUEST_ID] }),
	};
	return send(request, Body.of(text), sending, deliver);
}

/** For each object of shared header fields, another shared one that says that the coding depends on the request. */
const ofCoded = new WeakMap<Headers, Headers>();

function varying(shared: Headers): Headers {
	let headers = ofCoded.get(shared);
	if (headers === undefined) {
		headers = new Headers(shared);
		headers.append("vary", "Accept-Encoding");
		ofCoded.set(shared, headers);
	}
	// That of the answer before.
	headers.delete("content-encoding");
	return headers;
}

function notModified(headers: Headers): Response {
	const response = new Response(null, { status: 304, headers });
	response.headers.delete("content-type");
	return response;
}

/**
 * Whether a request's `If-None-Match` names a validator; the comparison is weak, as the RFC says. No other validator
 * can hold this one, which has quotation marks around it, so that a long field need not be taken apart.
 */
function isKnown({ headers }: Request, etag: string): boolean {
	const known = headers.get("if-none-match");
	return known !== null && (known.trim() === "*" || known.includes(etag));
}
