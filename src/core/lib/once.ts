/**
 * Returns a function that calls `make` on its first call, again if that throws, and then returns its value.
 */
export function once<T>(make: () => T): () => T {
	let made: { readonly value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
