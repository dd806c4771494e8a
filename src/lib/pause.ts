/** Lets all others have their turn of the event loop. */
export function pause(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
