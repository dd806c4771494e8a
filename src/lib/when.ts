/** Goes on with a value that may not be there yet: in this turn when it is there. */
export function when<T, R>(
	value: T | Promise<T>,
	go: (value: T) => R | Promise<R>,
): R | Promise<R> {
	return value instanceof Promise ? value.then(go) : go(value);
}
