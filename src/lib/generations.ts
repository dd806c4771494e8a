/** Into how many generations a span is divided: a key is kept at most a quarter of the span too long. */
const PARTS = 4;

interface Generation {
	readonly bornMs: number;
	/** The newest time in it. */
	lastMs: number;
	readonly timesByKey: Map<string, number[]>;
}

/**
 * Times by key. A key is forgotten once its newest time is a span old.
 *
 * A key lies in the generation of its newest time, and a generation is forgotten whole. So a call costs the
 * same however many keys there are, and no key is forgotten to make room for another.
 */
export class Generations {
	/** The newest one comes last. */
	#all: Generation[] = [];

	/** @param spanMs how long a time matters */
	constructor(readonly spanMs: number) {}

	/** The number of keys. */
	get size(): number {
		return this.#all.reduce((sum, one) => sum + one.timesByKey.size, 0);
	}

	/** @returns the times of a key as they were put, or undefined */
	find(key: string): readonly number[] | undefined {
		for (let at = this.#all.length - 1; at >= 0; at--) {
			const times = this.#all[at]?.timesByKey.get(key);
			if (times !== undefined) return times;
		}
		return undefined;
	}

	/** Replaces the times of a key. */
	put(key: string, times: number[], nowMs: number): void {
		this.remove(key);
		const newest = this.age(nowMs);
		newest.lastMs = nowMs;
		newest.timesByKey.set(key, times);
	}

	/** Forgets a key. */
	remove(key: string): void {
		for (const { timesByKey } of this.#all) {
			if (timesByKey.delete(key)) return;
		}
	}

	/**
	 * Forgets the generations whose times no longer matter.
	 * @returns the newest generation
	 */
	age(nowMs: number): Generation {
		let newest = this.#all.at(-1);
		const ageMs = newest === undefined ? -1 : nowMs - newest.bornMs;
		// The age is negative when the clock was set back.
		if (newest === undefined || ageMs < 0 || ageMs >= this.spanMs / PARTS) {
			newest = { bornMs: nowMs, lastMs: nowMs, timesByKey: new Map() };
			this.#all.push(newest);
		}
		const isOver = (oldest: Generation | undefined) =>
			oldest !== undefined && oldest.lastMs <= nowMs - this.spanMs;
		// The count bounds the generations when a clock is set back again and again.
		while (this.#all.length > PARTS + 1 || isOver(this.#all[0])) {
			this.#all.shift();
		}
		return newest;
	}

	/** Forgets every key. */
	clear(): void {
		this.#all = [];
	}
}
