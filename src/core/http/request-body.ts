import { isUtf8 } from "node:buffer";
import { sha256 } from "../lib/credential.ts";
import { Gate, type Release } from "../lib/gate.ts";
import { isNestedDeeper, isRecord } from "../lib/record.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import { originalRequest } from "./received-request.ts";
import type { Transport } from "./send-response.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum size of a request body in bytes. Larger bodies are refused. */
const MAX_BODY_BYTES = 64 * KIB;

/**
 * A body of at most this size usually arrives together with its header fields. Nearly all bodies are this
 * small.
 */
const SMALL_BYTES = 16 * KIB;

/** The maximum number of bodies that are being received at the same time: from a network, and in total. */
const MAX_BODIES = { network: 32, total: (128 * MIB) / MAX_BODY_BYTES };

/**
 * The delay suggested to a refused client. It is a guess, because nobody knows when the other clients have
 * sent their bodies.
 */
const RETRY_SECONDS = 5;

/**
 * The maximum number of bytes of a signed body that are read. It is larger than the limit for other bodies.
 * The signature of a signed call is checked before the response 413 is sent, and this check needs the digest
 * of the whole body.
 */
const MAX_DIGESTED_BYTES = MIB;

/** The maximum nesting depth of a body. No operation has a field on a deeper level than the fourth. */
const MAX_DEPTH = 8;

const tooLarge = () => new ResortError("too_large", "Body must be at most 64 KiB");

/** A request body that has been read. */
export interface ReadBody {
	/** The parsed object, `{}` for an empty body, or the error of an invalid body. */
	readonly body: object | ResortError;
	/**
	 * The SHA-256 digest of the raw bytes, if requested. Null for a GET or HEAD request with a body, which
	 * cannot be read. If the body is incomplete or over 1 MiB, only a part is hashed, so the digest does not
	 * match the sender's.
	 */
	readonly sha256: Uint8Array | null;
}

/**
 * Reads a body. The error of an invalid body is returned and not thrown, because the caller must report
 * authentication errors first.
 * @param isDigested whether to compute the digest of the body
 * @throws ResortError `unavailable` if too many bodies are being received
 */
export async function readBody(
	request: Request,
	transport: Transport,
	isDigested: boolean,
): Promise<ReadBody> {
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
 * Reads a body as text.
 * @param hasher is updated with the raw bytes; null if no digest is needed
 * @returns the text, empty without a body, or the error of a body that is too large, incomplete, compressed, or not UTF-8
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
		const enter = () => enterGate(bodies, server.clientKey(originalRequest(request)));
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
 * Creates the gate of bodies that are being received, which bounds their memory.
 * @param isLimited whether to enforce the limit for each client network
 */
export function createBodyGate(isLimited: boolean): Gate {
	const { network, total } = MAX_BODIES;
	return new Gate({ running: total, ofNetwork: isLimited ? network : total });
}

/**
 * Receives a body, and counts it meanwhile.
 * @param isLarge whether the body is counted from the beginning, so that the runtime stores nothing of a
 * refused one. Otherwise it is counted only if it does not arrive together with the header fields
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
 * Counts a body.
 * @throws ResortError `unavailable` if too many bodies are being received
 */
function enterGate(bodies: Gate, network: string): Release {
	try {
		return bodies.tryEnter(network);
	} catch {
		throw new ResortError("unavailable", "Too many incomplete requests", {
			hint: "Send each request in one piece, with its whole body.",
			retryAfterSeconds: RETRY_SECONDS,
			closesConnection: true,
		});
	}
}

/**
 * Reads a body whose length is not declared, or that must be hashed. Stops reading after 64 KiB, or after 1
 * MiB if the body is hashed.
 * @param size the maximum number of bytes to keep
 * @returns null if the body is longer than `size`
 */
async function readChunks(
	stream: ReadableStream<Uint8Array>,
	size: number,
	hasher: Bun.CryptoHasher | null,
): Promise<Uint8Array | null> {
	const most = hasher === null ? MAX_BODY_BYTES : MAX_DIGESTED_BYTES;
	// Copies the chunks into one array. A list of the chunks would need a hundred times the size of the body if
	// each chunk had one byte.
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
