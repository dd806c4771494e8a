import type { Answer, CallRecord, CallSource, RequestInfo } from "../calls/call.ts";
import type { Pipeline } from "../calls/handle.ts";
import type { Gate } from "../lib/gate.ts";
import { droppingAnswer, type ResponseSender } from "./send-response.ts";

/** The route that logs and metrics show for an unknown path. */
export const UNKNOWN_ROUTE = "unknown";

/**
 * The methods that are recorded by name. Others are recorded as `other`, so that clients cannot create metric
 * labels.
 */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** An answered request. The client can choose only one value in it: the request id. */
export interface CompletedRequest extends RequestInfo, Omit<Readonly<CallRecord>, "operation"> {
	/** Null if the request matches no operation. */
	readonly operationId: string | null;
	readonly status: number;
	readonly durationMs: number;
}

/** Receives every request once its response has been created. */
export type RequestObserver = (completed: CompletedRequest, request: Request) => void;

/** The parts of the server that request handlers use. */
export interface HttpServer {
	/** Returns the key by which limits count the client's address. */
	readonly clientKey: (request: Request) => string;
	/** Sets the idle timeout of a request's connection. */
	readonly setTimeout: (request: Request, seconds: number) => void;
	readonly responses: ResponseSender;
	/** Null if requests are neither logged, measured nor recorded. */
	readonly observer: RequestObserver | null;
}

/** The services that all handlers of HTTP requests use: those of the API, of MCP and of the forms of /me. */
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
 * Sends the answer to a request, or closes the connection if the testkit requires it. Then notifies the
 * observer.
 * @param base the default header fields
 */
export async function respond(
	{ server: { responses, observer } }: Transport,
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
	const { record, connection, request: info } = source;
	const { requestId } = info;
	const sent = record.isDropped ? await droppingAnswer(request, connection) : answer;
	const options = { base: record.isDropped ? {} : base, requestId };
	const response = await responses.send(request, sent, options);
	if (observer !== null) observe(observer, { request, response, info, record });
	return response;
}

/** Notifies an observer of a request. */
export function observe(
	observer: RequestObserver,
	{
		request,
		response,
		info,
		record: { operation, ...record },
	}: {
		readonly request: Request;
		readonly response: Response;
		readonly info: RequestInfo;
		readonly record: CallRecord;
	},
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
