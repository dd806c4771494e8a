import { toVisibleJson, withoutInvisible } from "../lib/text.ts";
import { weightOf } from "../lib/weights.ts";

/** A content coding (RFC 9110, 8.4.1). `identity` means uncompressed. */
export type Coding = "identity" | "gzip";

/** A body in a form that the runtime's `Response` accepts. */
export type Content = string | Blob | Bytes;

/** A JSON object that is not yet written. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An already compressed file, such as an image. */
type Bytes = Uint8Array<ArrayBuffer>;

/** The minimum size for compression. Below it, compression would save less than one network packet. */
const COMPRESSED_FROM_BYTES = 1024;

/**
 * A body of at least this size is stored as a Blob, because the runtime sends one Blob in many responses
 * without copying it.
 */
const SHARED_FROM_BYTES = 64 * 1024;

/**
 * The hash function of ETags. It has no random seed, so a body has the same ETag on every instance and after
 * a restart.
 */
const HASH = "sha256";

/** The length of the hash in an ETag: 32 hexadecimal digits are 128 bits. */
const HASH_DIGITS = 32;

/**
 * A body as bytes: of a response, or of an answer that is kept to be sent again. It is compressed when this
 * is first requested, and the result is kept for further responses.
 */
export class WrittenBody {
	readonly isCompressible: boolean;
	#compressed: Content | Promise<Content> | null = null;

	/**
	 * @param plain the uncompressed body
	 * @param length the size of the uncompressed body in bytes
	 * @param etag the strong ETag of the uncompressed body (RFC 9110, 8.8.3); null if clients must not store it
	 */
	private constructor(
		readonly plain: Content,
		readonly length: number,
		readonly etag: string | null,
		isFile: boolean,
	) {
		this.isCompressible = !isFile && length >= COMPRESSED_FROM_BYTES;
	}

	/**
	 * Writes the body of an answer: an object as JSON, and a file unchanged. Removes invisible characters from
	 * texts, because texts stored by earlier versions may contain some.
	 */
	static write(body: JsonObject | string | Bytes | WrittenBody, hasEtag = false): WrittenBody {
		if (body instanceof WrittenBody) return body;
		if (body instanceof Uint8Array) {
			return new WrittenBody(body, body.length, hasEtag ? etagOf(body) : null, true);
		}
		return WrittenBody.of(typeof body === "string" ? withoutInvisible(body) : toVisibleJson(body), hasEtag);
	}

	/** Creates a body of a text that is sent unchanged. */
	static of(text: string, hasEtag = false): WrittenBody {
		const etag = hasEtag ? etagOf(text) : null;
		const length = Buffer.byteLength(text);
		if (length >= SHARED_FROM_BYTES) return new WrittenBody(new Blob([text]), length, etag, false);
		// Encodes a string with non-ASCII characters once. If it stayed a string, the runtime would encode it
		// again for every response.
		const plain = length === text.length ? text : Buffer.from(text);
		return new WrittenBody(plain, length, etag, false);
	}

	/** An upper bound of the memory that the body uses in both codings together, in bytes. */
	get maxBytes(): number {
		return this.length * (this.isCompressible ? 2 : 1);
	}

	/** Returns the uncompressed body as text. */
	text(): Promise<string> {
		return new Blob([this.plain]).text();
	}

	/** Returns the body in a coding. Compresses it when this is first requested. */
	encoded(coding: Coding): Content | Promise<Content> {
		if (coding === "identity") return this.plain;
		if (this.#compressed !== null) return this.#compressed;
		const encoding = compress(this.plain);
		this.#compressed = encoding;
		encoding.then(
			(content) => {
				this.#compressed = content;
			},
			// After a failure, the next response tries again.
			() => {
				this.#compressed = null;
			},
		);
		return encoding;
	}
}

function etagOf(content: string | Bytes): string {
	const hash = Bun.CryptoHasher.hash(HASH, content, "hex");
	return `"${hash.slice(0, HASH_DIGITS)}"`;
}

/** Matches `gzip` or `*` in an `Accept-Encoding` field without weights, as most clients send. */
const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:,|$)/i;

/**
 * Selects the coding of a response.
 * @param header the request's `Accept-Encoding` field (RFC 9110, 12.5.3); null if it is missing
 */
export function chooseCoding(header: string | null): Coding {
	if (header === null) return "identity";
	if (!header.includes(";")) return GZIP.test(header) ? "gzip" : "identity";
	const gzip = weightOf(header, ["gzip", "*"]);
	// A client that gives `identity` a higher weight does not want gzip.
	const isWanted = gzip > 0 && gzip >= weightOf(header, ["identity"]);
	return isWanted ? "gzip" : "identity";
}

/** Compresses a body. A body of at least 64 KiB is a Blob, which is compressed on another thread. */
async function compress(content: Content): Promise<Content> {
	if (content instanceof Blob) {
		const coder = new CompressionStream("gzip");
		return Bun.readableStreamToBlob(content.stream().pipeThrough(coder));
	}
	return new Uint8Array(Bun.gzipSync(content));
}
