/** Lets everything else that waits have a turn of the event loop. */
export function pause(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
