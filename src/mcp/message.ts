import { isJson, readText } from "../http/body.ts";
import { isForeignToTools } from "../http/origin.ts";
import { isRecord } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
/** The code of a failure that is not the caller's. */
export const INTERNAL_ERROR = -32_603;

/** What the library holds of streams for news: there is none that they could tell. */
const SUBSCRIBE = "subscriptions/listen";

/** A request that is refused before anybody looks at its message. */
export class Refused extends Error {
	/**
	 * @param status of HTTP
	 * @param code of JSON-RPC
	 * @param headers of its answer, beside the usual ones
	 * @param id of the message, where that is known
	 */
	constructor(
		readonly status: number,
		readonly code: number,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
		readonly id: unknown = null,
	) {
		super(message);
	}
}

/**
 * Reads the one message of a request.
 * @param ownOrigin the origin of the base URL
 * @throws Refused for a request of another origin, of another method, or without a message
 */
export async function readMessage(
	request: Request,
	ownOrigin: string,
): Promise<object> {
	if (isForeignToTools(request, ownOrigin)) {
		throw new Refused(403, INVALID_REQUEST, "Cross-origin request refused");
	}
	if (request.method !== "POST") {
		throw new Refused(405, INVALID_REQUEST, "Send messages with POST", {
			allow: "POST",
		});
	}
	const { body, headers } = request;
	if (!isJson(headers.get("content-type"))) {
		const told = "Send the header Content-Type: application/json";
		throw new Refused(415, INVALID_REQUEST, told);
	}
	const text = body === null ? "" : await readText(request, body);
	if (text instanceof ResortError && text.code === "too_large") {
		throw new Refused(413, INVALID_REQUEST, text.message);
	}
	return messageIn(typeof text === "string" ? text : "");
}

/** The one message in a text. */
function messageIn(text: string): object {
	let message: unknown;
	try {
		message = JSON.parse(text);
	} catch {
		throw new Refused(400, PARSE_ERROR, "Body is not valid JSON");
	}
	if (!isRecord(message)) {
		const told = "Send one message: a JSON object, no batch";
		throw new Refused(400, INVALID_REQUEST, told);
	}
	if (message.method === SUBSCRIBE) {
		const { id = null } = message;
		throw new Refused(404, METHOD_NOT_FOUND, "Method not found", {}, id);
	}
	return message;
}
