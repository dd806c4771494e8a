import { isRecord } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * A body whose digest is taken is read further than is allowed: only known callers are told that it is too large.
 */
const MAX_DIGESTED_BYTES = 1024 * 1024;

const NO_BODY: Uint8Array = new Bun.CryptoHasher("sha256").digest();

const malformed = () => new ResortError("invalid", "Body is not valid JSON");
const notAnObject = () =>
	new ResortError("invalid", "Body must be a JSON object");
const notJson = () =>
	new ResortError("invalid", "Body must be JSON", {
		hint: "Send the header Content-Type: application/json.",
	});
const tooLarge = () =>
	new ResortError("too_large", "Body must be at most 64 KiB");

/** What was read of a request's body. */
export interface ReadBody {
	/** Its object, `{}` for an empty one, or what is wrong with it. */
	readonly body: object | ResortError;
	/**
	 * SHA-256 of the raw bytes, when it was asked for; null for the body of a GET or HEAD request, which cannot be
	 * read. Of a body over 1 MiB, or one that broke off, it is that of a part, and so fits no digest that its sender
	 * made.
	 */
	readonly sha256: Uint8Array | null;
}

/** Nothing was sent. */
const empty: ReadBody = { body: {}, sha256: NO_BODY };

/** Something was sent that cannot be read. */
const unread: ReadBody = { body: {}, sha256: null };

/**
 * Reads a body. It never throws, because a wrong body must not be told before a wrong credential.
 * @param isDigested whether its digest is needed
 * @returns a promise only when there is something to read
 */
export function readBody(
	request: Request,
	isDigested: boolean,
): ReadBody | Promise<ReadBody> {
	const { body: stream, headers } = request;
	if (stream !== null) return readStream(request, stream, isDigested);
	return isDigested && hasBody(headers) ? unread : empty;
}

async function readStream(
	request: Request,
	stream: ReadableStream<Uint8Array>,
	isDigested: boolean,
): Promise<ReadBody> {
	const hasher = isDigested ? new Bun.CryptoHasher("sha256") : null;
	const text = await readText(request, stream, hasher);
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

/** Whether a request says that a body follows. */
function hasBody(headers: Headers): boolean {
	return (
		Number(headers.get("content-length") ?? 0) !== 0 ||
		headers.has("transfer-encoding")
	);
}

/**
 * Reads the text of a body.
 * @param hasher hears its bytes, when its digest is needed
 * @returns what is wrong with a body that is too large, is no UTF-8, or broke off
 */
export async function readText(
	request: Request,
	stream: ReadableStream<Uint8Array>,
	hasher: Bun.CryptoHasher | null = null,
): Promise<string | ResortError> {
	const declared = request.headers.get("content-length");
	const isWhole = declared !== null && hasher === null;
	if (isWhole && Number(declared) > MAX_BODY_BYTES) return tooLarge();
	try {
		const bytes = isWhole
			? await request.bytes()
			: await readChunks(stream, hasher);
		if (bytes === null || bytes.length > MAX_BODY_BYTES) return tooLarge();
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return malformed();
	}
}

/**
 * Reads a body of undeclared length, or one whose digest is taken, and stops as soon as it is too large.
 * @returns null when it is
 */
async function readChunks(
	stream: ReadableStream<Uint8Array>,
	hasher: Bun.CryptoHasher | null,
): Promise<Uint8Array | null> {
	const most = hasher === null ? MAX_BODY_BYTES : MAX_DIGESTED_BYTES;
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of stream) {
		length += chunk.length;
		if (length > most) return null;
		hasher?.update(chunk);
		if (length <= MAX_BODY_BYTES) chunks.push(chunk);
	}
	return length > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
}

/** Whether a `Content-Type` is that of JSON. */
export function isJson(contentType: string | null): boolean {
	const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
	return type === "application/json" || /^application\/[^/]+\+json$/.test(type);
}
