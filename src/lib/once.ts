/**
 * Puts work off until it is first needed, and does it once.
 * @param make what to do; not called before the first use
 * @returns a function that gives what `make` gave
 */
export function once<T>(make: () => T): () => T {
	let made: { readonly value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
