import type { KeptAnswer, Part } from "./kept-answer.ts";

/** Where the fields of an answer stand; its target and its body follow. */
const AT = {
	hash: 0,
	fromMs: 4,
	untilMs: 12,
	version: 20,
	bodyLength: 28,
	kind: 32,
	targetLength: 33,
	isBytes: 34,
	isForgotten: 35,
	target: 36,
} as const;

/** The longest target, in characters: its length is one byte. */
export const LONGEST_TARGET = 255;

/** How many kinds there may be: the number of one is one byte. */
export const MOST_KINDS = 256;

/** An answer with a whole body, and the number of its kind in place of the kind. */
export type PackedAnswer = Omit<KeptAnswer, "kind" | "body"> & {
	readonly kind: number;
	readonly body: Part;
};

/** How many bytes an answer takes. */
export function packedSize(target: string, body: Part): number {
	return AT.target + target.length + body.length;
}

/** A piece of memory in which answers stand one behind the other, each with the target that asked for it. */
export class Segment {
	/** Its place among all. */
	readonly number: number;
	readonly #bytes: Buffer<ArrayBuffer>;
	readonly #view: DataView;
	#used = 0;
	#live = 0;

	/** @param size in bytes */
	constructor(number: number, size: number) {
		this.number = number;
		this.#bytes = Buffer.allocUnsafeSlow(size);
		this.#view = new DataView(this.#bytes.buffer);
	}

	/** Where the next answer will start. */
	get end(): number {
		return this.#used;
	}

	/** How many bytes hold answers that are not forgotten. */
	get live(): number {
		return this.#live;
	}

	/**
	 * Writes an answer, for which there must be room.
	 * @param hash of the target, in 32 bits
	 * @param target ASCII, 255 characters at most
	 */
	write(hash: number, target: string, answer: PackedAnswer): void {
		const { kind, body, version, fromMs, untilMs } = answer;
		const start = this.#used;
		const view = this.#view;
		view.setUint32(start + AT.hash, hash);
		view.setFloat64(start + AT.fromMs, fromMs);
		view.setFloat64(start + AT.untilMs, untilMs);
		view.setFloat64(start + AT.version, version);
		view.setUint32(start + AT.bodyLength, body.length);
		view.setUint8(start + AT.kind, kind);
		view.setUint8(start + AT.targetLength, target.length);
		view.setUint8(start + AT.isBytes, typeof body === "string" ? 0 : 1);
		view.setUint8(start + AT.isForgotten, 0);
		const at = start + AT.target;
		this.#bytes.write(target, at, "latin1");
		if (typeof body === "string") {
			this.#bytes.write(body, at + target.length, "latin1");
		} else this.#bytes.set(body, at + target.length);
		const size = packedSize(target, body);
		this.#used += size;
		this.#live += size;
	}

	/** Whether the answer there is to this target. */
	isTo(start: number, target: string): boolean {
		const from = start + AT.target;
		const to = from + this.#view.getUint8(start + AT.targetLength);
		return this.#bytes.toString("latin1", from, to) === target;
	}

	/** @returns a copy of the answer there, or null when it is to another target */
	read(start: number, target: string): PackedAnswer | null {
		const view = this.#view;
		if (view.getUint8(start + AT.targetLength) !== target.length) return null;
		const from = start + AT.target;
		const bodyFrom = from + target.length;
		const to = bodyFrom + view.getUint32(start + AT.bodyLength);
		// Target and body by one call: most of its time is that it is made at all.
		const text = this.#bytes.toString("latin1", from, to);
		if (!text.startsWith(target)) return null;
		return {
			kind: view.getUint8(start + AT.kind),
			body:
				view.getUint8(start + AT.isBytes) === 0
					? text.slice(target.length)
					: new Uint8Array(this.#bytes.subarray(bodyFrom, to)),
			version: view.getFloat64(start + AT.version),
			fromMs: view.getFloat64(start + AT.fromMs),
			untilMs: view.getFloat64(start + AT.untilMs),
		};
	}

	/** Leaves a gap where an answer was. */
	forget(start: number): void {
		this.#view.setUint8(start + AT.isForgotten, 1);
		this.#live -= this.#sizeAt(start);
	}

	/**
	 * Closes the gaps that forgotten answers left.
	 * @param moved is told of every answer that starts elsewhere now
	 */
	closeUp(moved: (hash: number, from: number, to: number) => void): void {
		let end = 0;
		for (const { start, size } of this.#answers()) {
			if (end !== start) {
				this.#bytes.copyWithin(end, start, start + size);
				moved(this.#view.getUint32(end + AT.hash), start, end);
			}
			end += size;
		}
		this.#used = end;
	}

	/**
	 * Forgets all answers.
	 * @param forgotten is told of every one
	 */
	empty(forgotten: (hash: number, start: number) => void): void {
		for (const { start } of this.#answers()) {
			forgotten(this.#view.getUint32(start + AT.hash), start);
		}
		this.#used = 0;
		this.#live = 0;
	}

	/** Those that are not forgotten, in the order of their places. */
	*#answers(): Generator<{ start: number; size: number }> {
		let next = 0;
		while (next < this.#used) {
			const start = next;
			const size = this.#sizeAt(start);
			next += size;
			if (this.#view.getUint8(start + AT.isForgotten) === 0) {
				yield { start, size };
			}
		}
	}

	#sizeAt(start: number): number {
		return (
			AT.target +
			this.#view.getUint8(start + AT.targetLength) +
			this.#view.getUint32(start + AT.bodyLength)
		);
	}
}
