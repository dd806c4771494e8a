import { writeSync } from "node:fs";
import { codeOf } from "../lib/error-reason.ts";

/** How long to wait for a slow reader of a pipe that does not block. */
const PAUSE_MS = 5;

/** Writes to a descriptor and waits for slow readers. Replaces `process.stdout`, which takes milliseconds to load. */
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
