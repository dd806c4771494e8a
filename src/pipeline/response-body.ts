import {
	COMPRESSED_FROM_BYTES,
	type Compression,
	type Content,
	compress,
} from "./content-coding.ts";

/** Larger bodies are Blobs: the runtime writes all responses from their one copy. */
const SHARED_FROM_BYTES = 64 * 1024;

/** Without a seed: an ETag is valid at every instance, and after a restart. */
const HASH = "sha256";

/** 128 bits. */
const HASH_DIGITS = 32;

/** The plain content, zstd and gzip. */
const CODINGS = 3;

/** The body of a response in all its codings, each of which is created once. */
export class ResponseBody {
	/** Without a coding. */
	readonly plain: Content;
	/** In bytes, without a coding. */
	readonly length: number;
	readonly isCompressible: boolean;
	#compressed: Map<Compression, Content | Promise<Content>> | null = null;

	private constructor(plain: Content, length: number, isFile: boolean) {
		this.plain = plain;
		this.length = length;
		this.isCompressible = !isFile && length >= COMPRESSED_FROM_BYTES;
	}

	/** Creates the body of a text, or of a file that is compressed already. */
	static of(content: string | Uint8Array<ArrayBuffer>): ResponseBody {
		if (typeof content !== "string") {
			return new ResponseBody(content, content.length, true);
		}
		const length = Buffer.byteLength(content);
		if (length >= SHARED_FROM_BYTES) {
			return new ResponseBody(new Blob([content]), length, false);
		}
		// The runtime would encode a string that is not ASCII for each response.
		const plain = length === content.length ? content : Buffer.from(content);
		return new ResponseBody(plain, length, false);
	}

	/** The most bytes that it needs with all codings. */
	get maxBytes(): number {
		return this.length * (this.isCompressible ? CODINGS : 1);
	}

	/** Returns the plain content as a text. */
	text(): Promise<string> {
		return new Response(this.plain).text();
	}

	/** Returns the content in a coding. */
	compressed(coding: Compression): Content | Promise<Content> {
		this.#compressed ??= new Map();
		const contents = this.#compressed;
		const known = contents.get(coding);
		if (known !== undefined) return known;
		const encoding = compress(this.plain, coding);
		contents.set(coding, encoding);
		encoding.then(
			(content) => contents.set(coding, content),
			// The next response tries again.
			() => contents.delete(coding),
		);
		return encoding;
	}
}

/** Returns the strong ETag of a body without a coding (RFC 9110, 8.8.3). */
export function etagOf(content: string | Uint8Array<ArrayBuffer>): string {
	const hash = Bun.CryptoHasher.hash(HASH, content, "hex");
	return `"${hash.slice(0, HASH_DIGITS)}"`;
}
