import { writeSync } from "node:fs";
import { codeOf, reasonOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";

const STDOUT = 1;

/** How long to wait for a slow reader of a pipe that is not blocking. */
const PAUSE_MS = 5;

/**
 * Prints a text on stdout, not by `process.stdout`, which takes milliseconds to load. A reader that has seen
 * enough, such as `head`, is no failure.
 * @throws StartError when it cannot be written
 */
export function print(text: string): void {
	let left = Buffer.from(text);
	while (left.length > 0) {
		try {
			left = left.subarray(writeSync(STDOUT, left));
		} catch (error) {
			const code = codeOf(error);
			if (code === "EPIPE") return;
			if (code !== "EAGAIN") {
				throw new StartError(`cannot write to stdout: ${reasonOf(error)}`, 1);
			}
			Bun.sleepSync(PAUSE_MS);
		}
	}
}
