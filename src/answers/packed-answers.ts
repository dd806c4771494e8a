import { edenGC } from "bun:jsc";
import { HashIndex, hashOf } from "./hash-index.ts";
import type { AnswerKind, KeptAnswer, Part } from "./kept-answer.ts";
import { LONGEST_TARGET, MOST_KINDS, packedSize, Segment } from "./segment.ts";

const MOST_SEGMENT_BYTES = 1024 * 1024;

/** Into how many segments the memory is parted at least. */
const FEWEST_SEGMENTS = 8;

/** An answer takes this share of a segment at most: 4 KiB. What is larger is seldom and dear to copy. */
const LARGEST_SHARE = 1 / 256;

/** From how many segments on young garbage is collected here, and after how many questions. */
const MANY_SEGMENTS = 32;
const COLLECT_EVERY = 4096;

/** An answer with a whole body. */
export type WholeAnswer = KeptAnswer & { readonly body: Part };

/**
 * Many small answers in few large pieces of memory, outside the collected heap: a million objects took two
 * thirds more memory, and every request longer.
 *
 * A segment is filled from its beginning. When it is full, the next one is one that is half gaps, closed up;
 * else a new one; else the one that was begun first, and what it holds is forgotten.
 */
export class PackedAnswers {
	readonly #segmentBytes: number;
	readonly #mostSegments: number;
	readonly #segments: Segment[] = [];
	/** The one that is being filled is the last. */
	readonly #byAge: Segment[] = [];
	readonly #index = new HashIndex();
	readonly #kinds: AnswerKind[] = [];
	#asked = 0;

	/**
	 * @param maxBytes of the segments, less than 4 GiB. The index takes 16 to 32 bytes more for each of the most
	 * answers that there have been, and half as much again while it grows.
	 */
	constructor(maxBytes: number) {
		this.#segmentBytes = Math.min(
			Math.floor(maxBytes / FEWEST_SEGMENTS),
			MOST_SEGMENT_BYTES,
		);
		this.#mostSegments = Math.floor(maxBytes / this.#segmentBytes);
	}

	/** How many are kept. */
	get size(): number {
		return this.#index.size;
	}

	/** How much memory its segments take; it is not given back. */
	get bytes(): number {
		return this.#segments.length * this.#segmentBytes;
	}

	/** Whether an answer can be kept here: it is small, whole and of one of few kinds, its target is ASCII. */
	takes(target: string, answer: KeptAnswer): answer is WholeAnswer {
		const { body, kind } = answer;
		return (
			(this.#kinds.length < MOST_KINDS || this.#kinds.includes(kind)) &&
			(typeof body === "string" || body instanceof Uint8Array) &&
			packedSize(target, body) <= this.#segmentBytes * LARGEST_SHARE &&
			target.length <= LONGEST_TARGET &&
			Buffer.byteLength(target) === target.length
		);
	}

	/** @returns a copy, or undefined when there is none */
	find(target: string): KeptAnswer | undefined {
		this.#collectYoung();
		if (target.length > LONGEST_TARGET) return undefined;
		const hash = hashOf(target);
		let slot = this.#index.first(hash);
		while (slot >= 0) {
			const place = this.#index.placeAt(slot);
			const packed = this.#segmentAt(place).read(this.#startAt(place), target);
			const kind = packed && this.#kinds[packed.kind];
			if (kind) {
				const { body, version, fromMs, untilMs } = packed;
				return { kind, body, version, fromMs, untilMs };
			}
			slot = this.#index.next(slot, hash);
		}
		return undefined;
	}

	/** Keeps an answer that it {@link takes} in place of the one before. */
	keep(target: string, answer: WholeAnswer): void {
		this.forget(target);
		const hash = hashOf(target);
		const kind = this.#numberOf(answer.kind);
		const segment = this.#withRoomFor(packedSize(target, answer.body));
		// First in the index, as that may fail when memory is short.
		this.#index.add(hash, this.#placeOf(segment, segment.end));
		segment.write(hash, target, { ...answer, kind });
	}

	forget(target: string): void {
		if (target.length > LONGEST_TARGET) return;
		const hash = hashOf(target);
		let slot = this.#index.first(hash);
		while (slot >= 0) {
			const place = this.#index.placeAt(slot);
			const segment = this.#segmentAt(place);
			const start = this.#startAt(place);
			if (segment.isTo(start, target)) {
				segment.forget(start);
				this.#index.remove(slot);
				return;
			}
			slot = this.#index.next(slot, hash);
		}
	}

	/**
	 * Collects what the last requests left, which takes half a millisecond or so. The runtime counts segments when
	 * it decides how much garbage may gather: with many of them so much that its memory goes back to the system
	 * and is taken anew, page by page, which costs more.
	 */
	#collectYoung(): void {
		if (this.#segments.length < MANY_SEGMENTS) return;
		this.#asked = (this.#asked + 1) % COLLECT_EVERY;
		if (this.#asked === 0) edenGC();
	}

	#numberOf(kind: AnswerKind): number {
		const number = this.#kinds.indexOf(kind);
		return number < 0 ? this.#kinds.push(kind) - 1 : number;
	}

	/** Where an answer is, as one number; none is 0. */
	#placeOf({ number }: Segment, start: number): number {
		return number * this.#segmentBytes + start + 1;
	}

	#startAt(place: number): number {
		return (place - 1) % this.#segmentBytes;
	}

	#segmentAt(place: number): Segment {
		const number = Math.floor((place - 1) / this.#segmentBytes);
		const segment = this.#segments[number];
		if (segment === undefined) throw new RangeError(`no segment ${number}`);
		return segment;
	}

	#withRoomFor(size: number): Segment {
		const newest = this.#byAge.at(-1);
		if (newest && newest.end + size <= this.#segmentBytes) return newest;
		const next = this.#closedUp() ?? this.#another() ?? this.#emptied();
		this.#byAge.push(next);
		return next;
	}

	/** The segment with the most gaps, without them; null when they are less than half of it. */
	#closedUp(): Segment | null {
		const [emptiest] = this.#byAge.toSorted((a, b) => a.live - b.live);
		if (!emptiest || emptiest.live > this.#segmentBytes / 2) return null;
		this.#byAge.splice(this.#byAge.indexOf(emptiest), 1);
		emptiest.closeUp((hash, from, to) => {
			const slot = this.#index.slotOf(hash, this.#placeOf(emptiest, from));
			this.#index.moveTo(slot, this.#placeOf(emptiest, to));
		});
		return emptiest;
	}

	#another(): Segment | null {
		const number = this.#segments.length;
		if (number === this.#mostSegments) return null;
		const segment = new Segment(number, this.#segmentBytes);
		this.#segments.push(segment);
		return segment;
	}

	#emptied(): Segment {
		const oldest = this.#byAge.shift();
		if (oldest === undefined) throw new RangeError("no segment");
		oldest.empty((hash, start) =>
			this.#index.remove(
				this.#index.slotOf(hash, this.#placeOf(oldest, start)),
			),
		);
		return oldest;
	}
}
