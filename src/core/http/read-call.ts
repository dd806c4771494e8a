import type { SignedRequest } from "../calls/authenticate.ts";
import type { Call, CallSource, RequestRecord } from "../calls/call.ts";
import { operationFor } from "../calls/handle.ts";
import { ResortError } from "../lib/resort-error.ts";
import { weightOf } from "../lib/weights.ts";
import type { Context } from "../resort/context.ts";
import type { Operation } from "../resort/operation.ts";
import { isCommaList } from "../resort/schemas.ts";
import { checkOrigin } from "./origin-check.ts";
import { originalRequest, requestIdOf } from "./received-request.ts";
import { type ReadBody, readBody } from "./request-body.ts";
import type { Transport } from "./send-response.ts";
import { sessionToken } from "./session-cookie.ts";

/**
 * Reads the call of a request.
 * @param routed the operation found for the request's method and path
 * @throws ResortError `unavailable` if too many bytes of request bodies are being received
 */
export async function readCall(
	request: Request,
	routed: Operation,
	params: Call["params"],
	transport: Transport,
): Promise<Call> {
	const { context } = transport.pipeline;
	const { baseUrl, provider } = context;
	const source = readSource(request, routed.path, transport);
	const { headers } = request;
	const acceptsStream = routed.streams !== undefined && prefersStream(headers.get("accept"));
	const query = queryOf(request.url, routed);
	if (acceptsStream) {
		// Some replacements of EventSource send the parameter, because a header field would need a preflight.
		const { lastEventId } = query;
		delete query.lastEventId;
		const id = headers.get("last-event-id")?.trim() || lastEventId?.trim();
		if (id) query.since = id;
	}
	const operation = operationFor(routed, query);
	const isSignedCall = provider !== null && isSigned(headers);
	const read = await readBody(request, transport, isSignedCall);
	return {
		...source,
		operation,
		params,
		query,
		acceptsStream,
		...repetitionOf(operation, headers),
		body: read.body,
		credentials: {
			apiKey: bearerToken(headers.get("authorization")),
			get sessionToken() {
				return sessionToken(headers.get("cookie"));
			},
			signedRequest: isSignedCall ? signedRequest(request, operation, baseUrl, read) : null,
		},
		isFresh: operation.method === "GET",
		checkOrigin: (hasKey) => checkOrigin(request, operation, context, hasKey),
	};
}

/**
 * Reads the part of a call that depends only on the HTTP request. A request to `/mcp` may contain several
 * calls.
 */
export function readSource(
	request: Request,
	route: string,
	{ server, pipeline }: Transport,
): Omit<CallSource, "credentials"> {
	return {
		address: () => server.clientKey(originalRequest(request)),
		connection: {
			get signal() {
				return originalRequest(request).signal;
			},
			setTimeout: (seconds) => server.setTimeout(originalRequest(request), seconds),
		},
		isVisit: true,
		isFresh: false,
		record: startRecord(request, route, pipeline.context),
	};
}

/** Creates the record of a request that has called no operation yet. */
export function startRecord(
	request: Request,
	route: string,
	{ clock }: Pick<Context, "clock">,
): RequestRecord {
	return {
		method: request.method,
		route,
		requestId: requestIdOf(request),
		startedAt: performance.now(),
		atMs: clock(),
		operation: null,
		agentId: null,
		hasWrongCredential: false,
		waited: false,
		fault: null,
		isDropped: false,
		refused: null,
	};
}

/**
 * Whether a request has a signature, valid or not. A signed request is authenticated by its signature only.
 */
function isSigned(headers: Headers): boolean {
	return headers.has("signature") || headers.has("signature-input");
}

/**
 * Parses the `Authorization` field.
 * @returns the Bearer token; an empty string if the token is missing; null for another scheme
 */
export function bearerToken(authorization: string | null): string | null {
	const match = /^bearer(?:\s+(.*))?$/i.exec(authorization ?? "");
	return match === null ? null : (match[1] ?? "");
}

/** Matches the names of parameters that change nothing: cache busters, campaign links, and a stray `=`. */
const UNUSED = /^(?:_|utm_|$)/;

/**
 * Parses the query of a URL, without {@link UNUSED} parameters. If a parameter is repeated, its last value
 * counts; the values of a list parameter are joined by commas.
 */
function queryOf(url: string, operation: Operation): Record<string, string> {
	const query: Record<string, string> = {};
	const start = url.indexOf("?");
	if (start === -1) return query;
	const end = url.indexOf("#", start);
	const search = url.slice(start + 1, end === -1 ? undefined : end);
	for (const [name, value] of new URLSearchParams(search)) {
		if (UNUSED.test(name)) continue;
		const before = isCommaList(operation.query?.properties[name]) ? query[name] : undefined;
		query[name] = before === undefined ? value : `${before},${value}`;
	}
	return query;
}

/** Matches one preference of a `Prefer` field. A comma in quotation marks does not end it. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/** Matches the preference `return`, and its value. */
const RETURN = /^\s*return\s*(?:=\s*"?([^\s;"]*)|;|$)/i;

/** Whether the first preference `return` is `minimal`. Further ones do not count (RFC 7240, section 2). */
function isMinimal(prefer: string): boolean {
	const first = prefer
		.match(PREFERENCE)
		?.map((preference) => RETURN.exec(preference))
		.find((found) => found !== null);
	return first?.[1]?.toLowerCase() === "minimal";
}

/**
 * Matches a string in the syntax of structured fields (RFC 9651, 3.3.3). Quotation marks and backslashes in
 * it are escaped.
 */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/**
 * Matches an idempotency key without quotation marks. The standard's draft requires the marks, but many
 * clients omit them.
 */
const PLAIN = /^[!#-+\--~]+$/;

/**
 * Reads the fields `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07) and `Prefer` (RFC 7240)
 * if the operation supports them.
 */
function repetitionOf(
	{ write, views }: Operation,
	headers: Headers,
): Pick<Call, "idempotencyKey" | "prefersMinimal"> {
	const key = write && headers.get("idempotency-key");
	const preferred = views?.minimal && headers.get("prefer");
	return {
		...(typeof key === "string" && { idempotencyKey: parseKey(key) }),
		...(preferred && { prefersMinimal: isMinimal(preferred) }),
	};
}

function parseKey(field: string): string | ResortError {
	const [, quoted] = QUOTED.exec(field) ?? [];
	if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
	if (PLAIN.test(field)) return field;
	return new ResortError("invalid", "Idempotency-Key must be one string", {
		hint: 'Send it in quotation marks, as Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".',
	});
}

/**
 * Whether the client weights an event stream higher than JSON. Clients that are generated from the OpenAPI
 * document name both with the same weight, and cannot read a stream. If only a wildcard matches JSON, the
 * named stream wins a tie.
 */
function prefersStream(accept: string | null): boolean {
	if (accept === null) return false;
	const stream = weightOf(accept, ["text/event-stream"]);
	const json = weightOf(accept, ["application/json"]);
	return stream > json && stream >= weightOf(accept, ["application/*", "*/*"]);
}

function signedRequest(
	{ method, url, headers }: Request,
	operation: Operation,
	baseUrl: string,
	{ sha256 }: ReadBody,
): SignedRequest {
	const [, target] = /^https?:\/\/[^/]*(\/.*)$/.exec(url) ?? [];
	return {
		method,
		targetUri: target === undefined ? "" : baseUrl + target,
		headers,
		bodySha256: sha256,
		operationId: operation.id,
	};
}
