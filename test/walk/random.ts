import type { Random } from "../../src/lib/random.ts";

/** Chance that repeats itself: mulberry32, whose next number follows from 32 bits of state. */
export class SeededRandom implements Random {
	#state: number;

	/** @param seed a whole number from 0 to 2^32 - 1 */
	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	bytes(length: number): Uint8Array {
		return Uint8Array.from({ length }, () => this.below(256));
	}

	below(bound: number): number {
		return Math.floor((this.#next() / 2 ** 32) * bound);
	}

	/** Not in order within a millisecond: nothing may rely on it. */
	uuid(timeMs: number): string {
		const bytes = this.bytes(10);
		bytes[0] = 0x70 | ((bytes[0] ?? 0) & 0x0f);
		bytes[2] = 0x80 | ((bytes[2] ?? 0) & 0x3f);
		const digits =
			timeMs.toString(16).padStart(12, "0") +
			Buffer.from(bytes).toString("hex");
		return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
	}

	between(least: number, most: number): number {
		return least + this.below(most - least + 1);
	}

	chance(probability: number): boolean {
		return this.#next() < probability * 2 ** 32;
	}

	find<T>(items: readonly T[]): T | undefined {
		return items[this.below(items.length)];
	}

	pick<T>(...items: readonly [T, ...T[]]): T {
		return items[this.below(items.length)] ?? items[0];
	}

	/** One item, as likely as its weight beside the sum of all. */
	weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
		const total = items.reduce((sum, [weight]) => sum + weight, 0);
		let rest = this.below(total);
		for (const [weight, item] of items) {
			rest -= weight;
			if (rest < 0) return item;
		}
		throw new RangeError("nothing to pick from");
	}

	#next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (mixed ^ (mixed >>> 14)) >>> 0;
	}
}
