/**
 * Lets long work go on in short stretches, one piece of work at a time, so that nobody else waits for more than
 * one stretch.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve();

	/** Does some work after all that was asked for before it. */
	take<T>(work: () => Promise<T>): Promise<T> {
		const done = this.#last.then(work);
		// The next one waits for the end, not for success.
		this.#last = done.catch(() => undefined);
		return done;
	}
}

/** Lets all others have their turn of the event loop. */
export function pause(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
