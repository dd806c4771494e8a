import { readFileSync, writeSync } from "node:fs";
import { codeOf, reasonOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";

/** The descriptor of stdout. */
export const STDOUT = 1;

/** How long to wait for a slow reader of a pipe that is not blocking. */
const PAUSE_MS = 5;

/** `O_CLOEXEC` of Linux: no descriptor that a program is started with has it. */
const OPENED_HERE = 0o2000000;

/**
 * Makes sure, on Linux, that what is printed goes somewhere: where stdout is closed the runtime opens `/dev/null` in
 * its place, which takes everything.
 * @throws StartError when stdout is closed
 */
export function requireStdout(): void {
	if ((flagsOf(STDOUT) & OPENED_HERE) === 0) return;
	throw new StartError("stdout is closed: nothing was done", 1);
}

/** With what flags a descriptor was opened; 0 where the system does not tell. */
function flagsOf(descriptor: number): number {
	try {
		const told = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
		return Number.parseInt(/^flags:\s*(\d+)$/m.exec(told)?.[1] ?? "0", 8);
	} catch {
		return 0;
	}
}

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
