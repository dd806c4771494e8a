import type { Answer, CallSource } from "../pipeline/call.ts";
import type { Pipeline } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import { observe, type RequestObserver } from "./completed-request.ts";
import {
	type CreateLargeResponse,
	dropConnection,
	sendResponse,
} from "./send-response.ts";

/** The server that requests come from. */
export interface HttpServer {
	/** Returns the key by which limits count the client's address. */
	readonly clientKey: (request: Request) => string;
	/** Sets the idle timeout of a request's connection. */
	readonly setTimeout: (request: Request, seconds: number) => void;
	readonly createLargeResponse: CreateLargeResponse;
	/** Null if no request is observed. */
	readonly observer: RequestObserver | null;
}

/** What every HTTP interface works with. */
export interface Transport {
	readonly pipeline: Pipeline;
	readonly server: HttpServer;
}

/** Makes the answer of a text; the empty text is no body. */
export function textAnswer(
	status: number,
	text: string,
	headers: Answer["headers"] = {},
): Answer {
	const body = text === "" ? null : ResponseBody.of(text);
	return { status, headers, body, etag: null, failure: null };
}

/**
 * Sends the answer to a request, or closes the connection if a fault drops it, and passes the request to the observer.
 * @param base the header fields that the answer does not set
 * @param startedAt by `performance.now()`
 */
export async function respond(
	{ server: { createLargeResponse, observer } }: Transport,
	request: Request,
	{
		record,
		connection,
		request: info,
	}: Pick<CallSource, "record" | "connection" | "request">,
	answer: Answer,
	base: Answer["headers"],
	startedAt: number,
): Promise<Response> {
	const { requestId } = info;
	const response = record.fault?.drop
		? await dropConnection(request, connection, requestId)
		: await sendResponse(request, answer, base, requestId, createLargeResponse);
	if (observer !== null) {
		observe(observer, request, response, info, startedAt, record);
	}
	return response;
}
