import { weightOf } from "../lib/weights.ts";

/** A content coding (RFC 9110, 8.4.1); `identity` is no coding. */
export type Coding = "identity" | Compression;

/** A coding that compresses. */
type Compression = (typeof offered)[number];

/** What the runtime writes as a body. */
export type Content = string | Blob | Uint8Array<ArrayBuffer>;

/** The offered codings, the best first. */
const offered = ["zstd", "gzip"] as const;

/** Compressing smaller bodies would save less than a packet. */
const COMPRESSED_FROM_BYTES = 1024;

/** Larger bodies are Blobs: the runtime writes all responses from their one copy. */
const SHARED_FROM_BYTES = 64 * 1024;

/** Without a seed: an ETag is valid at every instance, and after a restart. */
const HASH = "sha256";

/** 128 bits. */
const HASH_DIGITS = 32;

/** The offered ones, and none. */
const CODINGS = offered.length + 1;

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

/**
 * Selects the coding for a request.
 * @param header its `Accept-Encoding` field (RFC 9110, 12.5.3); null if there is none
 */
export function chooseCoding(header: string | null): Coding {
	if (header === null) return "identity";
	// A client that gives `identity` more weight prefers no compression.
	const least = weightOf(header, ["identity"]);
	let chosen: Coding = "identity";
	let weight = 0;
	for (const coding of offered) {
		const offeredWeight = weightOf(header, [coding, "*"]);
		if (offeredWeight > weight && offeredWeight >= least) {
			chosen = coding;
			weight = offeredWeight;
		}
	}
	return chosen;
}

/** Compresses a body; a large one, which is a Blob, on another thread. */
async function compress(
	content: Content,
	coding: Compression,
): Promise<Content> {
	if (content instanceof Blob) {
		const coder = new CompressionStream(coding);
		return new Response(content.stream().pipeThrough(coder)).blob();
	}
	return new Uint8Array(
		coding === "zstd" ? Bun.zstdCompressSync(content) : Bun.gzipSync(content),
	);
}
