import type { Random } from "../../src/core/lib/random.ts";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";

/** Random choices that are the same whenever the seed is the same. */
export class SeededRandom implements Random {
	readonly #source: Random;

	constructor(seed: number) {
		this.#source = seededRandom(seed);
	}

	bytes(length: number): Uint8Array {
		return this.#source.bytes(length);
	}

	below(bound: number): number {
		return this.#source.below(bound);
	}

	/** Returns a UUID of version 7. UUIDs of the same millisecond are in random order. */
	uuid(timeMs: number): string {
		const bytes = this.bytes(10);
		bytes[0] = 0x70 | ((bytes[0] ?? 0) & 0x0f);
		bytes[2] = 0x80 | ((bytes[2] ?? 0) & 0x3f);
		const digits = timeMs.toString(16).padStart(12, "0") + Buffer.from(bytes).toString("hex");
		return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
	}

	between(least: number, most: number): number {
		return least + this.below(most - least + 1);
	}

	chance(probability: number): boolean {
		return this.below(2 ** 32) < probability * 2 ** 32;
	}

	find<T>(items: readonly T[]): T | undefined {
		return items[this.below(items.length)];
	}

	pick<T>(...items: readonly [T, ...T[]]): T {
		return items[this.below(items.length)] ?? items[0];
	}

	/** Returns one item, with a probability in proportion to its weight. */
	weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
		const total = items.reduce((sum, [weight]) => sum + weight, 0);
		let rest = this.below(total);
		for (const [weight, item] of items) {
			rest -= weight;
			if (rest < 0) return item;
		}
		throw new RangeError("nothing to pick from");
	}
}
