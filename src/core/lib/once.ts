/**
 * Returns a function that calls `make` at its first call, and then always returns the same value. If `make`
 * throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
	let made: { readonly value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
