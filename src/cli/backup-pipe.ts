import { readSync, write } from "node:fs";
import { codeOf } from "../lib/error-reason.ts";
import { because, StartError } from "../lib/start-error.ts";
import { STDOUT } from "./print.ts";

const CHUNK_BYTES = 1024 * 1024;

/** How long to wait for a slow reader of a pipe that does not block. */
const PAUSE_MS = 5;

/**
 * Writes a file to stdout completely, unless the signal aborts. `stream.pipeline` does not stop while a write is pending.
 * @throws StartError if not everything could be written
 */
export async function pipeOut(
	descriptor: number,
	signal: AbortSignal,
): Promise<void> {
	const stopped = Promise.withResolvers<never>();
	// The signal may come when nothing awaits it.
	stopped.promise.catch(() => {});
	const stop = () =>
		stopped.reject(new StartError("stopped: not all was written to stdout", 1));
	if (signal.aborted) stop();
	signal.addEventListener("abort", stop, { once: true });
	const buffer = Buffer.alloc(CHUNK_BYTES);
	try {
		for (;;) {
			let left = buffer.subarray(0, readSync(descriptor, buffer));
			if (left.length === 0) return;
			while (left.length > 0) {
				left = left.subarray(
					await Promise.race([writeSome(left), stopped.promise]),
				);
			}
		}
	} catch (error) {
		throw because("cannot write the back-up to stdout", error);
	}
}

function writeSome(bytes: Buffer): Promise<number> {
	return new Promise((resolve, reject) => {
		write(STDOUT, bytes, (error, written) => {
			if (error === null) resolve(written);
			else if (codeOf(error) !== "EAGAIN") reject(error);
			else setTimeout(() => resolve(0), PAUSE_MS);
		});
	});
}
