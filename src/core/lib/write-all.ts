import { writeSync } from "node:fs";
import { codeOf } from "./error-reason.ts";

/** The pause before the next attempt if a non-blocking pipe is full. */
const PAUSE_MS = 5;

/**
 * Writes to a file descriptor, and waits for slow readers. `process.stdout` is not used, because loading it
 * takes milliseconds.
 */
export function writeAll(file: number, text: string | Uint8Array): void {
	let left = Buffer.from(text);
	while (left.length > 0) {
		try {
			left = left.subarray(writeSync(file, left));
		} catch (error) {
			if (codeOf(error) !== "EAGAIN") throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
		}
	}
}
