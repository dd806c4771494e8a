import { COMPRESSED_FROM_BYTES, type Coding, compress } from "./coding.ts";

/** Larger bodies are Blobs: the runtime writes those from their one copy, whoever reads them. */
const SHARED_FROM_BYTES = 64 * 1024;

/** Of this process: nobody outside can know them. */
const seeds = [...crypto.getRandomValues(new BigUint64Array(2))] as [
	bigint,
	bigint,
];

/** In how many codings a body is held at most. */
const CODINGS = 3;

/** What a response is made of. */
export type Content = string | Blob | Uint8Array<ArrayBuffer>;

/** The body of an answer in all its codings; each is made once. */
export class Body {
	readonly #bytes: string | Uint8Array<ArrayBuffer>;
	/** Its validator without a coding. */
	readonly #etag: string;
	/** The bytes as they are sent, and compressed; null until they are made. */
	#shared: Blob | null = null;
	#zstd: Promise<Content> | null = null;
	#gzip: Promise<Content> | null = null;

	/**
	 * @param bytes ASCII when it is a string: anything else would be encoded anew for each answer
	 * @param hash of the bytes, when they were not made at once
	 */
	constructor(bytes: string | Uint8Array<ArrayBuffer>, hash = new Hash(bytes)) {
		this.#bytes = bytes;
		this.#etag = `"${hash.digits}"`;
	}

	/** A body of a text. */
	static of(text: string): Body {
		const bytes = Buffer.from(text);
		const isAscii = bytes.length === text.length;
		return new Body(isAscii ? text : bytes);
	}

	/** The most bytes that it may come to hold, compressed ones too. */
	get size(): number {
		return this.#bytes.length * (this.isCompressed ? CODINGS : 1);
	}

	/** Whether it is given compressed to whoever takes that. */
	get isCompressed(): boolean {
		return this.#bytes.length >= COMPRESSED_FROM_BYTES;
	}

	/** The body without a coding. */
	get plain(): Content {
		if (this.#bytes.length < SHARED_FROM_BYTES) return this.#bytes;
		this.#shared ??= new Blob([this.#bytes]);
		return this.#shared;
	}

	/** The strong validator of a coding of it (RFC 9110, 8.8.3). */
	etag(coding: Coding): string {
		return coding === "identity"
			? this.#etag
			: `${this.#etag.slice(0, -1)}-${coding}"`;
	}

	/** The same JSON object with another text in its last field, which holds an empty one. */
	withLast(name: string, text: string): Body {
		const end = lastField(name, text);
		const length = this.#bytes.length - lastField(name, "").length;
		if (typeof this.#bytes === "string") {
			return Body.of(this.#bytes.slice(0, length) + end);
		}
		const start = this.#bytes.subarray(0, length);
		const bytes = Buffer.concat([start, Buffer.from(end)]);
		return new Body(bytes);
	}

	/** The body in a coding, which is made at the first use. */
	coded(coding: Exclude<Coding, "identity">): Promise<Content> {
		if (coding === "zstd") {
			this.#zstd ??= this.#compress(coding);
			return this.#zstd;
		}
		this.#gzip ??= this.#compress(coding);
		return this.#gzip;
	}

	async #compress(coding: Exclude<Coding, "identity">): Promise<Content> {
		const bytes =
			typeof this.#bytes === "string" ? Buffer.from(this.#bytes) : this.#bytes;
		return toContent(await compress(bytes, coding));
	}
}

function toContent(bytes: string | Uint8Array<ArrayBuffer>): Content {
	return bytes.length < SHARED_FROM_BYTES ? bytes : new Blob([bytes]);
}

function lastField(name: string, text: string): string {
	return `${JSON.stringify(name)}:${JSON.stringify(text)}}`;
}

/**
 * A hash of 128 bits with seeds of this process. It is not a cryptographic one, which would take longer than all
 * else about a small answer, but who does not know the seeds cannot make two bodies that it takes for the same.
 */
export class Hash {
	#values = seeds;

	constructor(bytes: string | Uint8Array<ArrayBuffer>) {
		this.add(bytes);
	}

	/** Goes on with the next part of the bytes. */
	add(bytes: string | Uint8Array<ArrayBuffer>): void {
		const [one, other] = this.#values;
		this.#values = [Bun.hash.wyhash(bytes, one), Bun.hash.wyhash(bytes, other)];
	}

	/** The hash in 32 hexadecimal digits. */
	get digits(): string {
		return this.#values.map(toHex).join("");
	}
}

function toHex(value: bigint): string {
	return value.toString(16).padStart(16, "0");
}
