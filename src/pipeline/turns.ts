import { pause } from "../lib/pause.ts";

/** After so long a stretch of work everything else has a turn of the event loop first. */
const STRETCH_MS = 2;

/**
 * Lets work go on in short stretches, one piece of work at a time, so that nobody else waits for more than one
 * stretch.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve();
	#spentMs = 0;
	#waiting = 0;

	/** How many pieces of work are not done. */
	get waiting(): number {
		return this.#waiting;
	}

	/** Does some work after all that was asked for before it. */
	take<T>(work: () => Promise<T> | T): Promise<T> {
		this.#waiting++;
		const done = this.#last.then(async () => {
			if (this.#spentMs > STRETCH_MS) await pause();
			const startedAt = performance.now();
			try {
				return await work();
			} finally {
				this.#waiting--;
				this.#spend(performance.now() - startedAt);
			}
		});
		// The next one waits for the end, not for success.
		this.#last = done.catch(() => undefined);
		return done;
	}

	/** Adds to what was spent since all others had their turn. */
	#spend(ms: number): void {
		if (this.#spentMs === 0) {
			setImmediate(() => {
				this.#spentMs = 0;
			});
		}
		this.#spentMs += ms;
	}
}
