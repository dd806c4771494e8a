/** How many bytes are handed to the runtime at once: what it copies for a reader that reads nothing. */
const PIECE_BYTES = 64 * 1024;

/** A body on its way to one reader. */
export interface EndableStream {
	readonly stream: ReadableStream;
	/** Ends the connection at once, so that the reader sees that the body is not whole. */
	end(): void;
}

/**
 * Streams a body in pieces; the next one is made when the connection has taken the last one.
 * @param watch told of every piece that was taken, and once of the end, whatever that is
 */
export function endableStream(
	body: Blob,
	watch: { readonly progressed: () => void; readonly finished: () => void },
): EndableStream {
	const ended = Promise.withResolvers<never>();
	// Between the races nobody awaits it: a rejection then is no failure of the program.
	ended.promise.catch(() => {});
	const end = () => ended.reject(new Error("The answer was ended"));
	const stream = new ReadableStream({
		type: "direct",
		async pull(controller) {
			try {
				for (let at = 0; at < body.size; at += PIECE_BYTES) {
					const piece = body.slice(at, at + PIECE_BYTES).bytes();
					// The end comes first in the races: it wins also when both are settled.
					controller.write(await Promise.race([ended.promise, piece]));
					// True: wait until the connection has taken it.
					const taken = controller.flush(true);
					await Promise.race([ended.promise, taken]);
					watch.progressed();
				}
				controller.end();
			} finally {
				watch.finished();
			}
		},
		// The reader is gone. Without this, all that is left would still be made.
		cancel: end,
	});
	return { stream, end };
}
