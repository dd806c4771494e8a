import {
	COMPRESSED_FROM_BYTES,
	type Coding,
	type Compression,
	type Content,
	compress,
} from "./coding.ts";

/** Larger bodies are Blobs: the runtime writes those from their one copy, whoever reads them. */
const SHARED_FROM_BYTES = 64 * 1024;

/** Without a seed: a validator holds at every instance, and after a restart. */
const HASH = "sha256";

/** 128 bits. */
const HASH_DIGITS = 32;

/** In how many codings a body is held at most. */
const CODINGS = 3;

/** The body of an answer in all its codings; each is made once. */
export class Body {
	/** The body without a coding. */
	readonly plain: Content;
	/** In bytes, without a coding. */
	readonly length: number;
	/** The hash of all of it; null for a text until it is needed. */
	#hash: string | null;
	/** Whether it is a file that is compressed already. */
	readonly #isPacked: boolean;
	#compressed: Map<Compression, Content | Promise<Content>> | null = null;

	private constructor(
		plain: Content,
		length: number,
		hash: string | null,
		isPacked = false,
	) {
		this.plain = plain;
		this.length = length;
		this.#hash = hash;
		this.#isPacked = isPacked;
	}

	/** A body of a text. */
	static of(text: string): Body {
		// A string that is not ASCII would be encoded anew for each answer.
		const isAscii = Buffer.byteLength(text) === text.length;
		if (isAscii && text.length < SHARED_FROM_BYTES) {
			return new Body(text, text.length, null);
		}
		const bytes = Buffer.from(text);
		return Body.ofParts([bytes], hashOf(bytes));
	}

	/** A body of a file that is compressed already: it is given as it is. */
	static packed(bytes: Uint8Array<ArrayBuffer>): Body {
		return new Body(bytes, bytes.length, hashOf(bytes), true);
	}

	/**
	 * A body of the parts of a text.
	 * @param hash of all of them
	 */
	static ofParts(
		parts: readonly Uint8Array<ArrayBuffer>[],
		hash: string,
	): Body {
		const length = parts.reduce((sum, part) => sum + part.length, 0);
		// A large one is copied once and held once: a copy of 10 MB takes 5 ms, in which nobody is answered.
		const isShared = length >= SHARED_FROM_BYTES;
		const whole = isShared ? new Blob([...parts]) : Buffer.concat(parts);
		return new Body(whole, length, hash);
	}

	/** The most bytes that it may come to hold, compressed ones too. */
	get size(): number {
		return this.length * (this.isCompressed ? CODINGS : 1);
	}

	/** Whether it is given compressed to whoever takes that. */
	get isCompressed(): boolean {
		return !this.#isPacked && this.length >= COMPRESSED_FROM_BYTES;
	}

	/** The strong validator of a coding of it (RFC 9110, 8.8.3). */
	etag(coding: Coding): string {
		this.#hash ??= hashOf(String(this.plain));
		return coding === "identity"
			? `"${this.#hash}"`
			: `"${this.#hash}-${coding}"`;
	}

	/** The body in a coding, which is made at the first use. */
	coded(coding: Compression): Content | Promise<Content> {
		this.#compressed ??= new Map();
		const compressed = this.#compressed;
		const known = compressed.get(coding);
		if (known !== undefined) return known;
		const making = compress(this.plain, coding);
		compressed.set(coding, making);
		making.then(
			(content) => compressed.set(coding, content),
			// What failed is tried again for the next one who asks.
			() => compressed.delete(coding),
		);
		return making;
	}
}

function hashOf(whole: string | Uint8Array<ArrayBuffer>): string {
	return Bun.CryptoHasher.hash(HASH, whole, "hex").slice(0, HASH_DIGITS);
}
