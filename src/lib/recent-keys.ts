/** The number of keys that are remembered; a power of two. */
const SLOTS = 2 ** 18;

/** Remembers recent keys in a fixed amount of memory (1 MiB). Each key replaces another one, chosen by its hash. */
export class RecentKeys {
	readonly #hashes = new Uint32Array(SLOTS);

	/**
	 * Adds a key.
	 * @returns whether it is among the recent keys already. This is wrong for one of 16,384 other keys.
	 */
	add(key: string): boolean {
		const hash = Bun.hash.xxHash32(key);
		const slot = hash % SLOTS;
		const isKnown = this.#hashes[slot] === hash;
		this.#hashes[slot] = hash;
		return isKnown;
	}
}
