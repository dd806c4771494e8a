/**
 * Returns a function that calls `make` until it has not thrown once, and from then on returns that value.
 */
export function once<T>(make: () => T): () => T {
	let made: { readonly value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
