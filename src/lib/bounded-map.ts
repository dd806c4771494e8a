/** A map that forgets its oldest entry when there is no place for a new one. */
export class BoundedMap<Value> {
	readonly #maxSize: number;
	/** The oldest first. */
	readonly #entries = new Map<string, Value>();

	/** @param maxSize how many entries it holds at most */
	constructor(maxSize: number) {
		this.#maxSize = maxSize;
	}

	/** How many entries it holds. */
	get size(): number {
		return this.#entries.size;
	}

	get(key: string): Value | undefined {
		return this.#entries.get(key);
	}

	/** Adds or replaces an entry, which becomes the newest one. */
	set(key: string, value: Value): void {
		this.#entries.delete(key);
		this.#entries.set(key, value);
		if (this.#entries.size <= this.#maxSize) return;
		const [oldest = key] = this.#entries.keys();
		this.#entries.delete(oldest);
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}

	clear(): void {
		this.#entries.clear();
	}
}
