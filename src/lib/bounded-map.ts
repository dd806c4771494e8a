/** A map that forgets its oldest entry when there is no place for a new one. */
export class BoundedMap<Value> {
	readonly #maxSize: number;
	/** The oldest first. */
	readonly #entries = new Map<string, Value>();
	/** Stands before the oldest: to begin anew each time, the runtime would pass over all that was deleted since. */
	#keys = this.#entries.keys();

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
		if (this.#entries.size >= this.#maxSize) this.#forgetOldest();
		this.#entries.set(key, value);
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}

	clear(): void {
		this.#entries.clear();
	}

	#forgetOldest(): void {
		let next = this.#keys.next();
		if (next.done) {
			this.#keys = this.#entries.keys();
			next = this.#keys.next();
		}
		if (!next.done) this.#entries.delete(next.value);
	}
}
