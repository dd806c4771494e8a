import { existsSync, readFileSync } from "node:fs";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { StartError } from "../lib/start-error.ts";
import { writeAll } from "../lib/write-all.ts";

/** The file descriptor of stdout. */
export const STDOUT = 1;

/**
 * Matches the `fdinfo` of a descriptor with `O_CLOEXEC` (0o2000000). Inherited descriptors never have this
 * flag.
 */
const CLOSE_ON_EXEC = /^flags:\s*\d*[2367]\d{6}$/m;

/**
 * Checks, on Linux, that the program was started with an open stdout. In place of a closed stdout, the
 * runtime opens `/dev/null` with `O_CLOEXEC`.
 * @throws StartError if stdout is closed
 */
export function requireStdout(): void {
	const info = `/proc/self/fdinfo/${STDOUT}`;
	if (existsSync(info) && CLOSE_ON_EXEC.test(readFileSync(info, "utf8"))) {
		throw new StartError("stdout is closed: nothing was done");
	}
}

/**
 * Writes text to stdout, or discards it if the reader has closed stdout, as `head` does.
 * @throws StartError if stdout cannot be written
 */
export function print(text: string): void {
	try {
		writeAll(STDOUT, text);
	} catch (error) {
		if (codeOf(error) === "EPIPE") return;
		throw new StartError(`cannot write to stdout: ${reasonOf(error)}`);
	}
}

/** Writes a value to stdout as one line of JSON. */
export function printJson(value: object): void {
	print(`${JSON.stringify(value)}\n`);
}
