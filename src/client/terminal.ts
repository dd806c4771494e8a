import { once } from "node:events";
import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { Writable } from "node:stream";
import { isatty } from "node:tty";
import { codeOf, reasonOf } from "../core/lib/error-reason.ts";
import { writeAll } from "../core/lib/write-all.ts";
import { Failure, ReaderGone } from "./client-failure.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/** Whether stdout is a terminal. */
export function isTerminal(): boolean {
	return isatty(STDOUT);
}

/** Whether stdin and stderr are terminals, so that the user can be prompted. */
export function isInteractive(): boolean {
	return isatty(STDIN) && isatty(STDERR);
}

/** Writes to stdout. @throws ReaderGone if the reader has closed stdout; Failure for any other error */
export function print(text: string | Uint8Array): void {
	try {
		writeAll(STDOUT, text);
	} catch (error) {
		if (codeOf(error) === "EPIPE") throw new ReaderGone();
		throw new Failure(`cannot write to stdout: ${reasonOf(error)}`, 1);
	}
}

/** Whether stdout is closed or the null device. */
export function isStdoutDiscarded(): boolean {
	// Node and Bun open the null device in place of a closed stdout.
	const { rdev } = fstatSync(STDOUT);
	return rdev !== 0 && rdev === statSync(devNull).rdev;
}

/** Writes a line to stderr. If stderr is closed, the line is lost. */
export function report(line: string): void {
	prompt(`${line}\n`);
}

function prompt(text: string): void {
	try {
		writeAll(STDERR, text);
	} catch {}
}

/**
 * Prompts the user for a line on the terminal. A secret is not echoed.
 * @throws Failure with exit code 1 for Ctrl-C, Ctrl-D and, unless the answer is optional, an empty line
 */
export async function ask(
	question: string,
	{ isSecret, isOptional }: { readonly isSecret?: true; readonly isOptional?: true } = {},
): Promise<string> {
	const { createInterface } = await import("node:readline");
	const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
	const lines = createInterface({ input: process.stdin, output, prompt: question, terminal: true });
	lines.prompt();
	// Asks for a secret only now, because readline has turned off the echo of the terminal.
	if (isSecret) prompt(question);
	const [answer] = await Promise.race([once(lines, "line"), once(lines, "close")]);
	lines.close();
	if (isSecret || answer === undefined) report("");
	const trimmed = answer?.trim();
	if (trimmed === undefined || (trimmed === "" && !isOptional)) throw new Failure("nothing was entered", 1);
	return trimmed;
}
