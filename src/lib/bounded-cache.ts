import { LRUCache } from "lru-cache";

/** A cache that evicts the least recently used entries. To empty a large one at once, replace it by a new one. */
export type BoundedCache<Value extends object | number> = LRUCache<
	string,
	Value
>;

/** Creates a cache. Its bound is a size: with a maximum of entries, the library allocates their memory at once. */
export function createCache<Value extends object | number>(
	maxEntries: number,
): BoundedCache<Value> {
	return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}

/** Creates a cache bounded by its entries and by the bytes of its keys and values. A larger value is not stored. */
export function createSizedCache<Value extends object | number>(
	bounds: { readonly maxEntries: number; readonly maxBytes: number },
	bytesOf: (value: Value) => number,
): BoundedCache<Value> {
	const leastBytes = Math.ceil(bounds.maxBytes / bounds.maxEntries);
	return new LRUCache({
		maxSize: bounds.maxBytes,
		sizeCalculation: (value, key) =>
			Math.max(leastBytes, key.length + bytesOf(value)),
	});
}
