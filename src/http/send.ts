import type { Body } from "../answers/body.ts";
import { chooseCoding } from "../answers/coding.ts";
import { DrawnBody } from "../answers/drawn-body.ts";
import type { Ready } from "../answers/ready.ts";

/** Gives a body to a reader; large ones are bounded by what readers leave waiting. */
export type Deliver = (
	request: Request,
	content: string | Blob | Uint8Array<ArrayBuffer>,
	init: ResponseInit,
) => Response;

/** How a body is sent. */
export interface Sending {
	readonly status: number;
	readonly headers: Record<string, string>;
	/** Whether it carries a validator, and is not sent again to those who have it (RFC 9110, 13.1.2). */
	readonly hasEtag: boolean;
}

/**
 * Sends a body in the coding that the request asks for, or says that it is not modified.
 * @param headers may be written to
 */
export function send(
	request: Request,
	body: Body,
	{ status, headers, hasEtag }: Sending,
	deliver: Deliver,
): Response | Promise<Response> {
	const coding = body.isCompressed
		? chooseCoding(request.headers.get("accept-encoding"))
		: "identity";
	if (body.isCompressed) {
		headers.vary = headers.vary
			? `${headers.vary}, Accept-Encoding`
			: "Accept-Encoding";
	}
	if (hasEtag) {
		const etag = body.etag(coding);
		headers.etag = etag;
		const known = request.headers.get("if-none-match");
		if (known !== null && isKnown(known, etag)) {
			delete headers["content-type"];
			return new Response(null, { status: 304, headers });
		}
	}
	if (coding === "identity") {
		return deliver(request, body.plain, { status, headers });
	}
	headers["content-encoding"] = coding;
	return body
		.coded(coding)
		.then((content) => deliver(request, content, { status, headers }));
}

/**
 * Whether an `If-None-Match` field names a validator; the comparison is weak, as the RFC says. No other validator can
 * hold this one, which has quotation marks around it, so that a long field need not be taken apart.
 */
function isKnown(field: string, etag: string): boolean {
	return field.trim() === "*" || field.includes(etag);
}

/** Sends an answer that is kept ready. */
export function sendReady(
	request: Request,
	{ body, headers: own, hasEtag }: Ready,
	headers: Record<string, string>,
	deliver: Deliver,
): Response | Promise<Response> {
	const sent = body instanceof DrawnBody ? body.next() : body;
	const sending = {
		status: 200,
		headers: Object.assign(headers, own),
		hasEtag,
	};
	return send(request, sent, sending, deliver);
}
