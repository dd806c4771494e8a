import type {
	Answer,
	CallRecord,
	CallSource,
	RequestInfo,
} from "../pipeline/call.ts";
import type { Pipeline } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import type { BodyMemory } from "./body-memory.ts";
import {
	type CreateLargeResponse,
	dropConnection,
	sendResponse,
} from "./send-response.ts";

/** The route of a request for an unknown path. */
export const UNKNOWN_ROUTE = "unknown";

/** Other methods are recorded as `other`, so that clients cannot create labels of metrics. */
const METHODS = new Set([
	...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
]);

/** A request that was answered. The client chose nothing in it but the request id. */
export interface CompletedRequest
	extends RequestInfo,
		Omit<Readonly<CallRecord>, "operation"> {
	/** Null if the request is for no operation. */
	readonly operationId: string | null;
	readonly status: number;
	readonly durationMs: number;
}

/** Receives every request after its response. */
export type RequestObserver = (
	completed: CompletedRequest,
	request: Request,
) => void;

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
	readonly bodies: BodyMemory;
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
 */
export async function respond(
	{ server: { createLargeResponse, observer } }: Transport,
	request: Request,
	source: Omit<CallSource, "credentials">,
	answer: Answer,
	base: Answer["headers"],
): Promise<Response> {
	const { record, connection, request: info } = source;
	const { requestId } = info;
	const response = record.fault?.drop
		? await dropConnection(request, connection, requestId)
		: await sendResponse(request, answer, base, requestId, createLargeResponse);
	if (observer !== null) observe(observer, request, response, info, record);
	return response;
}

/** Passes a request to an observer. */
export function observe(
	observer: RequestObserver,
	request: Request,
	response: Response,
	info: RequestInfo,
	{ operation, ...record }: CallRecord,
): void {
	const { method, startedAt } = info;
	const completed: CompletedRequest = {
		...info,
		...record,
		method: METHODS.has(method) ? method : "other",
		operationId: operation?.id ?? null,
		status: response.status,
		durationMs: performance.now() - startedAt,
	};
	observer(completed, request);
}
