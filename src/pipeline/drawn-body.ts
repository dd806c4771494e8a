import type { Body } from "./body.ts";

/** How many bytes the drawn bodies of one answer may take. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * A body whose last field is drawn for each request. Bodies that were drawn are kept; when there is no room for one
 * more, a kept one is given, because making a large body for each request takes too long.
 */
export class DrawnBody {
	readonly #plain: Body;
	readonly #name: string;
	readonly #draw: () => string;
	readonly #drawn = new Map<string, Body>();

	/** @param plain a JSON object in whose last field, the drawn one, is an empty text */
	constructor(
		plain: Body,
		{ name, draw }: { readonly name: string; readonly draw: () => string },
	) {
		this.#plain = plain;
		this.#name = name;
		this.#draw = draw;
	}

	/** The most bytes that it may come to hold. */
	get size(): number {
		// One is always made, however large it is.
		return this.#plain.size + Math.max(MAX_BYTES, this.#plain.size);
	}

	/** A body with what is drawn now. */
	next(): Body {
		const text = this.#draw();
		const known = this.#drawn.get(text);
		if (known !== undefined) return known;
		const [oldest] = this.#drawn.values();
		if (
			oldest !== undefined &&
			(this.#drawn.size + 1) * oldest.size > MAX_BYTES
		) {
			// Put last, so that all of them have their turn.
			const [key = ""] = this.#drawn.keys();
			this.#drawn.delete(key);
			this.#drawn.set(key, oldest);
			return oldest;
		}
		const body = this.#plain.withLast(this.#name, text);
		this.#drawn.set(text, body);
		return body;
	}
}
