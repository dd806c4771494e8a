import { isUtf8 } from "node:buffer";
import type { Call, CallSource, RequestRecord, SignedRequest } from "../calls/call.ts";
import { operationFor } from "../calls/handle.ts";
import { sha256 } from "../lib/credential.ts";
import { Gate, type Release } from "../lib/gate.ts";
import { isNestedDeeper, isRecord } from "../lib/record.ts";
import { invalid, RETRY_SECONDS, ResortError } from "../lib/resort-error.ts";
import { matches } from "../lib/schema-compiler.ts";
import { weightOf } from "../lib/weights.ts";
import type { Operation } from "../resort/operation.ts";
import { marks } from "../resort/schemas.ts";
import { checkOrigin } from "./origin-check.ts";
import { originalRequest, requestIdOf } from "./received-request.ts";
import type { Transport } from "./send-response.ts";
import { sessionToken } from "./session-cookie.ts";

/**
 * Reads the call of a request.
 * @param routed the operation found for the request's method and path
 * @throws ResortError `unavailable` if too many request bodies are being received
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
	let wrongId: ResortError | null = null;
	if (acceptsStream) {
		// Some replacements for EventSource send this parameter: a header field would need a preflight request.
		const { lastEventId } = query;
		delete query.lastEventId;
		const field = headers.get("last-event-id")?.trim();
		const id = field || lastEventId?.trim();
		if (id) query.since = id;
		const since = routed.query?.properties.since;
		if (id && since !== undefined && !matches(since, id)) {
			const name = field ? "Last-Event-ID" : "lastEventId";
			const hint = "It replaces since; browsers and libraries send it when they reconnect.";
			wrongId = invalid(`${name} must be the id of an event, in digits`, { field: name, hint });
		}
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
		idempotencyKey: operation.write && idempotencyKey(headers.get("idempotency-key")),
		prefersMinimal: operation.views?.minimal !== undefined && prefersMinimal(headers.get("prefer")),
		body: wrongId ?? read.body,
		credentials: {
			apiKey: bearerToken(headers.get("authorization")),
			get sessionToken() {
				return sessionToken(headers.get("cookie"));
			},
			signedRequest: isSignedCall ? signedRequest(request, operation, baseUrl, read.sha256) : null,
		},
		isFresh: operation.method === "GET",
		checkOrigin: (hasKey) => checkOrigin(request, operation, context, hasKey),
	};
}

/** Reads the part of a call that depends only on the request. A request to /mcp may contain several calls. */
export function readSource(
	request: Request,
	route: string,
	transport: Transport,
): Omit<CallSource, "credentials"> {
	const { server } = transport;
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
		record: startRecord(request, route, transport),
	};
}

/** The methods that are recorded by name. Any other method is recorded as `other`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Creates the record of a request that has called no operation yet. */
export function startRecord(request: Request, route: string, { server, pipeline }: Transport): RequestRecord {
	return {
		method: METHODS.has(request.method) ? request.method : "other",
		route,
		requestId: requestIdOf(request),
		peer: server.peerOf?.(originalRequest(request)) ?? null,
		startedAt: performance.now(),
		atMs: pipeline.context.clock(),
		operation: null,
		agentId: null,
		hasWrongCredential: false,
		waited: false,
		fault: null,
		isDropped: false,
		refused: null,
	};
}

/** Whether a request has a signature, valid or not. The signature is then its only credential. */
function isSigned(headers: Headers): boolean {
	return headers.has("signature") || headers.has("signature-input");
}

/** Returns the Bearer token in an `Authorization` field, which may be empty; null for another scheme. */
export function bearerToken(authorization: string | null): string | null {
	const match = /^bearer(?:\s+(.*))?$/i.exec(authorization ?? "");
	return match === null ? null : (match[1] ?? "");
}

/** Matches the names of parameters without effect: cache busters, campaigns, and an empty name. */
const UNUSED = /^(?:_|utm_|$)/;

/**
 * Parses the query of a URL, without {@link UNUSED} parameters. If a parameter is repeated, its last value
 * counts; if it is a list, all its values are joined by commas.
 */
function queryOf(url: string, operation: Operation): Record<string, string> {
	const query: Record<string, string> = {};
	const start = url.indexOf("?");
	if (start === -1) return query;
	const end = url.indexOf("#", start);
	const search = url.slice(start + 1, end === -1 ? undefined : end);
	for (const [name, value] of new URLSearchParams(search)) {
		if (UNUSED.test(name)) continue;
		const isList = marks.commaList in (operation.query?.properties[name] ?? {});
		const before = isList ? query[name] : undefined;
		query[name] = before === undefined ? value : `${before},${value}`;
	}
	return query;
}

/** Matches one preference of a `Prefer` field. A comma in quotation marks does not end it. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/** Matches the preference `return`, and its value. */
const RETURN = /^\s*return\s*(?:=\s*"?([^\s;"]*)|;|$)/i;

/**
 * Whether the first preference `return` in `Prefer` is `minimal`. Further `return` preferences do not count
 * (RFC 7240, section 2).
 */
function prefersMinimal(prefer: string | null): boolean {
	const first = prefer
		?.match(PREFERENCE)
		?.map((preference) => RETURN.exec(preference))
		.find((found) => found !== null);
	return first?.[1]?.toLowerCase() === "minimal";
}

/** Matches a string of structured fields (RFC 9651, 3.3.3), with escaped quotation marks and backslashes. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/** Matches an idempotency key without the quotation marks, which many clients omit. */
const PLAIN = /^[!#-+\--~]+$/;

/** Parses `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07); undefined if it is missing. */
function idempotencyKey(field: string | null): Call["idempotencyKey"] {
	if (field === null) return undefined;
	const [, quoted] = QUOTED.exec(field) ?? [];
	if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
	if (PLAIN.test(field)) return field;
	return new ResortError("invalid", "Idempotency-Key must be one string", {
		hint: 'Send it in quotation marks, as Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".',
	});
}

/**
 * Whether the client weights an event stream higher than JSON. Clients that are generated from the OpenAPI
 * document name both with the same weight, and cannot read a stream.
 */
function prefersStream(accept: string | null): boolean {
	if (accept === null) return false;
	const json = weightOf(accept, ["application/json", "application/*", "*/*"]);
	return weightOf(accept, ["text/event-stream"]) > json;
}

function signedRequest(
	{ method, url, headers }: Request,
	operation: Operation,
	baseUrl: string,
	bodySha256: Uint8Array | null,
): SignedRequest {
	const [, target] = /^https?:\/\/[^/]*(\/.*)$/.exec(url) ?? [];
	return {
		method,
		targetUri: target === undefined ? "" : baseUrl + target,
		headers,
		bodySha256,
		operationId: operation.id,
	};
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum size of a request body in bytes. Larger bodies are refused. */
const MAX_BODY_BYTES = 64 * KIB;

/** The size up to which a body usually arrives with its header fields. Nearly all bodies are smaller. */
const SMALL_BYTES = 16 * KIB;

/** The maximum number of bodies that are being received at the same time: from one network, and in total. */
const MAX_BODIES = { network: 32, total: (128 * MIB) / MAX_BODY_BYTES };

/**
 * The maximum number of bytes of a signed body that are read. Even a body that is too large is read, because
 * the signature needs the digest of the whole body and is checked before the response 413 is sent.
 */
const MAX_DIGESTED_BYTES = MIB;

/** The maximum nesting depth of a body. No operation has a field on a deeper level than the fourth. */
const MAX_DEPTH = 8;

const tooLarge = () => new ResortError("too_large", "Body must be at most 64 KiB");

/**
 * Reads a body. The error of an invalid body is returned, because authentication errors come first.
 * @param isDigested whether to compute the digest of the body
 * @returns the parsed object, `{}` for an empty body, or the error of an invalid body; and the SHA-256 digest
 * of the raw bytes, if requested. The digest is null for the body of a GET or HEAD request, which cannot be
 * read. For a body that is incomplete or over 1 MiB, it is the digest of only a part
 * @throws ResortError `unavailable` if too many bodies are being received
 */
async function readBody(request: Request, transport: Transport, isDigested: boolean) {
	const { body, headers } = request;
	if (body === null) return { body: {}, sha256: isDigested && !hasBody(headers) ? sha256("") : null };
	const hasher = isDigested ? new Bun.CryptoHasher("sha256") : null;
	const text = await readText(request, transport, hasher);
	return { body: parse(text, headers.get("content-type")), sha256: hasher?.digest() ?? null };
}

function parse(text: string | ResortError, contentType: string | null): object | ResortError {
	if (text === "") return {};
	if (typeof text !== "string" && text.code !== "invalid") return text;
	if (!isJson(contentType)) {
		const hint = "Send the header Content-Type: application/json.";
		return invalid("Body must be JSON", { hint });
	}
	if (typeof text !== "string") return text;
	try {
		const value: unknown = JSON.parse(text);
		if (isNestedDeeper(value, MAX_DEPTH)) {
			return invalid(`Body must be nested at most ${MAX_DEPTH} levels deep`);
		}
		return isRecord(value) ? value : invalid("Body must be a JSON object");
	} catch {
		const hint = "Send one JSON object: names and texts in double quotes, no comma after the last field.";
		return invalid("Body is not valid JSON", { hint });
	}
}

/** Whether the header fields announce a body. */
function hasBody(headers: Headers): boolean {
	return Number(headers.get("content-length") ?? 0) !== 0 || headers.has("transfer-encoding");
}

/** Matches the values of `Content-Encoding` for a body that is not compressed. */
const PLAIN_CODING = /^\s*(?:identity)?\s*$/i;

/**
 * Reads a body as text. Without a body, the text is empty.
 * @param hasher is updated with the raw bytes; null if no digest is needed
 * @returns the text, or the error of a body that is too large, incomplete, compressed, or not UTF-8
 * @throws ResortError `unavailable` if too many bodies are being received
 */
export async function readText(
	request: Request,
	{ server, bodies }: Transport,
	hasher: Bun.CryptoHasher | null = null,
): Promise<string | ResortError> {
	const { body: stream, headers } = request;
	if (stream === null) return "";
	const declared = headers.get("content-length");
	const isWhole = declared !== null && hasher === null;
	if (isWhole && Number(declared) > MAX_BODY_BYTES) {
		// Without this call, the runtime would buffer the body until the response is sent.
		await stream.cancel();
		return tooLarge();
	}
	const size = Math.min(Number(declared ?? MAX_BODY_BYTES), MAX_BODY_BYTES);
	try {
		const read = () => (isWhole ? request.bytes() : readChunks(stream, size, hasher));
		const enter = () => bodies.tryEnter(server.clientKey(originalRequest(request)));
		const isLarge = declared !== null && size > SMALL_BYTES;
		const bytes = await receive(read, enter, isLarge);
		if (bytes === null || bytes.length > MAX_BODY_BYTES) return tooLarge();
		const coding = headers.get("content-encoding") ?? "";
		if (bytes.length > 0 && !PLAIN_CODING.test(coding)) {
			return new ResortError("unsupported", "Send the body uncompressed");
		}
		return isUtf8(bytes) ? new TextDecoder().decode(bytes) : invalid("Body is not valid UTF-8");
	} catch (error) {
		if (error instanceof ResortError) throw error;
		return invalid("Body is incomplete");
	}
}

/**
 * Creates the gate that bounds the number of bodies being received.
 * @param isLimited whether to enforce the limit for each client network
 */
export function createBodyGate(isLimited: boolean): Gate {
	const { network, total } = MAX_BODIES;
	const refusal = () =>
		new ResortError("unavailable", "Too many incomplete requests", {
			hint: "Send each request in one piece, with its whole body.",
			retryAfterSeconds: RETRY_SECONDS,
			closesConnection: true,
		});
	return new Gate({ running: total, ofNetwork: isLimited ? network : total }, refusal);
}

/**
 * Receives a body. Counts the body while it arrives, unless it arrives together with the header fields.
 * @param isLarge whether to count the body from the beginning, so that the runtime stores nothing of a
 * refused body
 */
async function receive<T>(read: () => Promise<T>, enter: () => Release, isLarge: boolean): Promise<T> {
	let release = isLarge ? enter() : () => {};
	const { promise: refused, reject } = Promise.withResolvers<never>();
	const count = () => {
		try {
			release = enter();
		} catch (error) {
			reject(error);
		}
	};
	// Runs after the runtime has delivered the bytes that have already arrived.
	const counting = isLarge ? undefined : setImmediate(count);
	try {
		return await Promise.race([read(), refused]);
	} finally {
		clearImmediate(counting);
		release();
	}
}

/**
 * Reads a body whose length is not declared, or that must be hashed; null if it is longer than `size`.
 * @param size the maximum number of bytes to keep
 */
async function readChunks(
	stream: ReadableStream<Uint8Array>,
	size: number,
	hasher: Bun.CryptoHasher | null,
): Promise<Uint8Array | null> {
	const most = hasher === null ? MAX_BODY_BYTES : MAX_DIGESTED_BYTES;
	// Copies the chunks into one array, because a list of chunks with one byte each would need a hundred times
	// the size of the body.
	const bytes = new Uint8Array(size);
	let length = 0;
	for await (const chunk of stream) {
		length += chunk.length;
		if (length > most) return null;
		hasher?.update(chunk);
		if (length <= size) bytes.set(chunk, length - chunk.length);
		// Waits, so that the runtime can join chunks that arrive in the meantime. Reading a chunk takes 1 us even
		// if it has only one byte. Most bodies have only one chunk and are not delayed.
		if (length > chunk.length) await new Promise(setImmediate);
	}
	return length > size ? null : bytes.subarray(0, length);
}

/** Whether a `Content-Type` is that of JSON. */
export function isJson(contentType: string | null): boolean {
	const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
	return type === "application/json" || /^application\/[^/]+\+json$/.test(type);
}
