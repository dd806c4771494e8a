import { LRUCache } from "lru-cache";

/** A cache that evicts the least recently used entry. To clear a large cache quickly, create a new one. */
export type BoundedCache<Value extends object | number> = LRUCache<string, Value>;

/**
 * Creates a cache bounded by its number of entries. With `max` instead of `maxSize`, the library would
 * allocate memory for all entries in advance.
 */
export function createCache<Value extends object | number>(maxEntries: number): BoundedCache<Value> {
	return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}

/**
 * Creates a cache bounded by its number of entries and by the bytes of its keys and values. An entry larger
 * than `maxBytes` is not stored. Every entry counts as at least `maxBytes / maxEntries` bytes.
 * @param bytesOf returns the size of a value in bytes
 */
export function createSizedCache<Value extends object | number>(
	bounds: { readonly maxEntries: number; readonly maxBytes: number },
	bytesOf: (value: Value) => number,
): BoundedCache<Value> {
	const leastBytes = Math.ceil(bounds.maxBytes / bounds.maxEntries);
	return new LRUCache({
		maxSize: bounds.maxBytes,
		sizeCalculation: (value, key) => Math.max(leastBytes, key.length + bytesOf(value)),
	});
}
