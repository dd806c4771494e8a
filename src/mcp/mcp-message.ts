import { isForeignToTools } from "../http/origin-check.ts";
import { isJson, readText } from "../http/request-body.ts";
import { isRecord } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";

/** Error codes (JSON-RPC 2.0, section 5.1). */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
export const INTERNAL_ERROR = -32_603;

/** A method of the library that is not offered, as nothing is ever published to subscribers. */
const SUBSCRIBE = "subscriptions/listen";

/** A request without a valid message. */
export class InvalidRequest extends Error {
	/** @param code the JSON-RPC code */
	constructor(
		readonly status: number,
		message: string,
		readonly code = INVALID_REQUEST,
		readonly headers: Readonly<Record<string, string>> = {},
		readonly id: unknown = null,
	) {
		super(message);
	}
}

/**
 * Reads the one message of a request.
 * @param ownOrigin the origin of the base URL
 * @throws InvalidRequest for another origin, another method, or a body that is no message
 */
export async function readMessage(
	request: Request,
	ownOrigin: string,
): Promise<object> {
	if (isForeignToTools(request, ownOrigin)) {
		throw new InvalidRequest(403, "Cross-origin request refused");
	}
	if (request.method !== "POST") {
		const headers = { allow: "POST" };
		const message = "Send messages with POST";
		throw new InvalidRequest(405, message, INVALID_REQUEST, headers);
	}
	const { body, headers } = request;
	if (!isJson(headers.get("content-type"))) {
		const message = "Send the header Content-Type: application/json";
		throw new InvalidRequest(415, message);
	}
	const text = body === null ? "" : await readText(request, body);
	if (text instanceof ResortError && text.code === "too_large") {
		throw new InvalidRequest(413, text.message);
	}
	return parseMessage(typeof text === "string" ? text : "");
}

function parseMessage(text: string): object {
	let message: unknown;
	try {
		message = JSON.parse(text);
	} catch {
		throw new InvalidRequest(400, "Body is not valid JSON", PARSE_ERROR);
	}
	if (!isRecord(message)) {
		throw new InvalidRequest(400, "Send one message: a JSON object, no batch");
	}
	if (message.method === SUBSCRIBE) {
		const { id = null } = message;
		throw new InvalidRequest(404, "Method not found", METHOD_NOT_FOUND, {}, id);
	}
	return message;
}
