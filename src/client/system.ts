import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull, homedir } from "node:os";
import { isatty } from "node:tty";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { Failure, ReaderGone } from "./client-failure.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/** How long to wait for a slow reader of a pipe that does not block. */
const PAUSE_MS = 5;

/** Returns what a command of the program uses of the machine. */
export function createSystem(
	name: string,
	env: Readonly<Record<string, string | undefined>>,
) {
	return {
		name,
		env,
		home: homedir(),
		isTerminal: isatty(STDOUT),
		isInteractive: isatty(STDIN) && isatty(STDERR),
		input: () => process.stdin,
		print,
		prompt,
		report: (line: string) => prompt(`${line}\n`),
	};
}

/** What a command uses of the machine. */
export type System = ReturnType<typeof createSystem>;

function print(text: string | Uint8Array): void {
	try {
		writeAll(STDOUT, text);
	} catch (error) {
		if (codeOf(error) === "EPIPE") throw new ReaderGone();
		throw new Failure(`cannot write to stdout: ${reasonOf(error)}`, 1);
	}
}

/** Returns whether stdout is closed or the null device. */
export function isStdoutDiscarded(): boolean {
	try {
		const { rdev } = fstatSync(STDOUT);
		return rdev !== 0 && rdev === statSync(devNull).rdev;
	} catch (error) {
		return codeOf(error) === "EBADF";
	}
}

/** Writes to stderr. If that is closed, the text is lost. */
export function prompt(text: string): void {
	try {
		writeAll(STDERR, text);
	} catch {}
}

/** Writes to a descriptor and waits for slow readers. `process.stdout` takes milliseconds to load. */
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
