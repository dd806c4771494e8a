/** The kinds of calls that stay open. */
type Kind = "streams" | "calls";

/** The open event streams and waiting calls of an instance, whose connections a test can cut. */
export class OpenCalls {
	readonly #open = new Set<{ readonly kind: Kind; readonly cut: () => void }>();

	/**
	 * Adds an event stream or a waiting call.
	 * @param cut closes the connection of the stream or call
	 * @returns a function to call when the stream or call has ended
	 */
	add(kind: Kind, cut: () => void): () => void {
		const open = { kind, cut };
		this.#open.add(open);
		return () => void this.#open.delete(open);
	}

	/** Closes the connections of all streams and calls. Returns the numbers of both. */
	cut(): Record<Kind, number> {
		const counts = { streams: 0, calls: 0 };
		for (const open of this.#open) {
			this.#open.delete(open);
			counts[open.kind]++;
			open.cut();
		}
		return counts;
	}
}
