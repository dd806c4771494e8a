/** The number of keys that are remembered; a power of two. */
const SLOTS = 2 ** 18;

/**
 * Remembers recent keys in 1 MiB of memory. A key is stored as its hash, in a slot that also depends on the
 * hash.
 */
export class RecentKeys {
	readonly #hashes = new Uint32Array(SLOTS);

	/**
	 * Adds a key.
	 * @returns whether it was added before and its slot has not been overwritten since. One of 16,384 new keys
	 * is wrongly reported as added, because it has the hash of another key.
	 */
	add(key: string): boolean {
		const hash = Bun.hash.xxHash32(key);
		const slot = hash % SLOTS;
		const isKnown = this.#hashes[slot] === hash;
		this.#hashes[slot] = hash;
		return isKnown;
	}
}
