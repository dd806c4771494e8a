import { sha256 } from "../lib/credential.ts";
import { isRecord } from "../lib/record.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import { originalRequest } from "./absolute-request.ts";
import { MAX_BODY_BYTES } from "./body-memory.ts";
import type { Transport } from "./transport.ts";

/** A body with a digest is read beyond the limit: 413 comes after authentication, which needs the digest. */
const MAX_DIGESTED_BYTES = 1024 * 1024;

const malformed = () => invalid("Body is not valid JSON");
const notAnObject = () => invalid("Body must be a JSON object");
const notJson = () =>
	invalid("Body must be JSON", {
		hint: "Send the header Content-Type: application/json.",
	});
const tooLarge = () =>
	new ResortError("too_large", "Body must be at most 64 KiB");

/** The body of a request. */
export interface ReadBody {
	/** Its object, `{}` if it is empty, or the error of a body that is invalid. */
	readonly body: object | ResortError;
	/**
	 * SHA-256 of the raw bytes, if it is needed; null for the body of a GET or HEAD request, which cannot be read. Of a body
	 * over 1 MiB, or an incomplete one, it is that of a part, and matches no digest of its sender.
	 */
	readonly sha256: Uint8Array | null;
}

/** There is no body whose digest is needed, or it cannot be read. */
const empty: ReadBody = { body: {}, sha256: null };

/**
 * Reads a body. An invalid one is returned and not thrown, because it is reported after an invalid credential.
 * @param isDigested whether its digest is needed
 * @returns a promise only if there is something to read
 * @throws ResortError `unavailable` if too many bodies are being received
 */
export function readBody(
	request: Request,
	transport: Transport,
	isDigested: boolean,
): ReadBody | Promise<ReadBody> {
	const { body: stream, headers } = request;
	if (stream !== null) {
		return readStream(request, stream, transport, isDigested);
	}
	if (!isDigested || hasBody(headers)) return empty;
	return { body: {}, sha256: sha256("") };
}

async function readStream(
	request: Request,
	stream: ReadableStream<Uint8Array>,
	transport: Transport,
	isDigested: boolean,
): Promise<ReadBody> {
	const hasher = isDigested ? new Bun.CryptoHasher("sha256") : null;
	const text = await readText(request, stream, transport, hasher);
	return {
		body: parse(text, request.headers.get("content-type")),
		sha256: hasher?.digest() ?? null,
	};
}

function parse(
	text: string | ResortError,
	contentType: string | null,
): object | ResortError {
	if (text === "") return {};
	if (typeof text !== "string" && text.code === "too_large") return text;
	if (!isJson(contentType)) return notJson();
	if (typeof text !== "string") return text;
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : notAnObject();
	} catch {
		return malformed();
	}
}

/** Whether the header fields of a request announce a body. */
function hasBody(headers: Headers): boolean {
	return (
		Number(headers.get("content-length") ?? 0) !== 0 ||
		headers.has("transfer-encoding")
	);
}

/**
 * Reads the text of a body.
 * @param hasher receives its bytes, if its digest is needed
 * @returns the error of a body that is too large, not UTF-8, or incomplete
 * @throws ResortError `unavailable` if too many bodies are being received
 */
export async function readText(
	request: Request,
	stream: ReadableStream<Uint8Array>,
	{ server, bodies }: Transport,
	hasher: Bun.CryptoHasher | null = null,
): Promise<string | ResortError> {
	const declared = request.headers.get("content-length");
	const isWhole = declared !== null && hasher === null;
	if (isWhole && Number(declared) > MAX_BODY_BYTES) {
		// Else the runtime would keep what it receives until the response.
		await stream.cancel();
		return tooLarge();
	}
	const size = Math.min(Number(declared ?? MAX_BODY_BYTES), MAX_BODY_BYTES);
	try {
		const bytes = await bodies.receive(
			() => (isWhole ? request.bytes() : readChunks(stream, size, hasher)),
			declared === null ? null : size,
			() => server.clientKey(originalRequest(request)),
		);
		if (bytes === null || bytes.length > MAX_BODY_BYTES) return tooLarge();
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (error) {
		if (error instanceof ResortError) throw error;
		return malformed();
	}
}

/**
 * Reads a body of undeclared length, or one whose digest is needed, until it is too large.
 * @param size the most bytes that are kept
 * @returns null if it is too large
 */
async function readChunks(
	stream: ReadableStream<Uint8Array>,
	size: number,
	hasher: Bun.CryptoHasher | null,
): Promise<Uint8Array | null> {
	const most = hasher === null ? MAX_BODY_BYTES : MAX_DIGESTED_BYTES;
	// Chunks of one byte would take a hundred times their size.
	const bytes = new Uint8Array(size);
	let length = 0;
	for await (const chunk of stream) {
		length += chunk.length;
		if (length > most) return null;
		hasher?.update(chunk);
		if (length <= size) bytes.set(chunk, length - chunk.length);
		// Meanwhile the runtime joins what arrives: to read each chunk of one byte takes 1 us. Most bodies have one chunk.
		if (length > chunk.length) await new Promise(setImmediate);
	}
	return length > size ? null : bytes.subarray(0, length);
}

/** Whether a `Content-Type` is that of JSON. */
export function isJson(contentType: string | null): boolean {
	const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
	return type === "application/json" || /^application\/[^/]+\+json$/.test(type);
}
