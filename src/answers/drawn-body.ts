import type { Body } from "./body.ts";

/** How many bytes the bodies of one answer may take that differ in what was drawn. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A body of which the last field is drawn for each request; those that were drawn before are kept. */
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
		return this.#plain.size + MAX_BYTES;
	}

	/** A body with what is drawn now. */
	next(): Body {
		const text = this.#draw();
		let body = this.#drawn.get(text);
		if (body === undefined) {
			body = this.#plain.withLast(this.#name, text);
			const bytes = (this.#drawn.size + 1) * body.size;
			if (bytes <= MAX_BYTES) this.#drawn.set(text, body);
		}
		return body;
	}
}
