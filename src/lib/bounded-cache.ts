import { LRUCache } from "lru-cache";

/** What a {@link BoundedCache} holds at most. */
export interface CacheBounds<Value> {
	readonly maxEntries: number;
	/** Of keys and values together; without it, only the entries are counted. */
	readonly maxBytes?: number;
	/** Returns the bytes of a value; required with {@link maxBytes}. */
	readonly bytesOf?: (value: Value) => number;
}

/** A cache by string keys that evicts the least recently used entries when it is full. */
export class BoundedCache<Value extends object | number | string> {
	readonly #bounds: CacheBounds<Value>;
	#entries: LRUCache<string, Value>;

	constructor(bounds: CacheBounds<Value>) {
		this.#bounds = bounds;
		this.#entries = createEntries(bounds);
	}

	/** The number of entries. */
	get size(): number {
		return this.#entries.size;
	}

	/** Returns a value, which becomes the most recently used one. */
	get(key: string): Value | undefined {
		return this.#entries.get(key);
	}

	/** Returns a value without marking it as used. */
	peek(key: string): Value | undefined {
		return this.#entries.peek(key);
	}

	/** Adds or replaces an entry. A value that is larger than the whole cache is not stored. */
	set(key: string, value: Value): void {
		this.#entries.set(key, value);
		if (this.#entries.size > this.#bounds.maxEntries) this.#entries.pop();
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}

	/** Deletes entries, the least recently used first, as long as their values match. */
	deleteWhile(matches: (value: Value) => boolean): void {
		for (const key of this.#entries.rkeys()) {
			const value = this.#entries.peek(key);
			if (value === undefined || !matches(value)) return;
			this.#entries.delete(key);
		}
	}

	/** Deletes all entries and releases their memory, in a time that does not depend on their number. */
	clear(): void {
		this.#entries = createEntries(this.#bounds);
	}
}

/** Bounded by `maxSize` alone: with `max`, the library allocates the memory of all entries at once. */
function createEntries<Value extends object | number | string>({
	maxEntries,
	maxBytes,
	bytesOf,
}: CacheBounds<Value>): LRUCache<string, Value> {
	return maxBytes === undefined || bytesOf === undefined
		? new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 })
		: new LRUCache({
				maxSize: maxBytes,
				// The library requires a positive integer.
				sizeCalculation: (value, key) => key.length + bytesOf(value) || 1,
			});
}
