import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { Failure, ReaderGone } from "./client-failure.ts";

/** What a command reaches of the machine; the program gives it. */
export interface World {
	/** How the program is called. */
	readonly name: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly home: string;
	/** Whether stdout is a terminal. */
	readonly isTerminal: boolean;
	/** Whether stdout leads to nobody: it is the null device, as also one that is closed is for Node. */
	readonly isMute: boolean;
	/** Whether somebody is there to be asked: stdin and stderr are a terminal. */
	readonly canAsk: boolean;
	/** What comes on stdin. */
	readonly input: () => NodeJS.ReadStream;
	/** Writes to stdout. */
	readonly print: (text: string | Uint8Array) => void;
	/** Tells the person who called, a line on stderr. */
	readonly tell: (text: string) => void;
	/** The same without an end of the line. */
	readonly prompt: (text: string) => void;
}

const STDOUT = 1;
const STDERR = 2;

/** How long to wait for a slow reader of a pipe that does not block. */
const PAUSE_MS = 5;

/**
 * Writes to stdout, not by `process.stdout`, which takes milliseconds to load.
 * @throws ReaderGone when the reader has seen enough; Failure when it cannot be written
 */
export function print(text: string | Uint8Array): void {
	try {
		writeAll(STDOUT, text);
	} catch (error) {
		if (codeOf(error) === "EPIPE") throw new ReaderGone();
		throw new Failure(`cannot write to stdout: ${reasonOf(error)}`, 1);
	}
}

/** Whether what is written to stdout is lost. */
export function isMute(): boolean {
	try {
		const { rdev } = fstatSync(STDOUT);
		return rdev !== 0 && rdev === statSync(devNull).rdev;
	} catch (error) {
		return codeOf(error) === "EBADF";
	}
}

/** Writes to stderr; nobody hears of it when that is closed. */
export function prompt(text: string): void {
	try {
		writeAll(STDERR, text);
	} catch {}
}

/**
 * Writes to a descriptor and waits for slow readers. `process.stdout` takes milliseconds to load.
 * @throws Error of the operating system
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
