import { once } from "node:events";
import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { Writable } from "node:stream";
import { isatty } from "node:tty";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { withoutInvisible } from "../lib/text.ts";
import { Failure, ReaderGone } from "./client-failure.ts";
import { writeAll } from "./write-all.ts";

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

/** Writes to stdout. @throws ReaderGone if the reader has closed stdout; Failure with exit code 1 */
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
 * Prompts the user for a line on the terminal. A secret is not echoed. @throws Failure with exit code 1 for
 * Ctrl-C and Ctrl-D
 */
export async function ask(question: string, isSecret = false): Promise<string> {
	const { createInterface } = await import("node:readline/promises");
	let isMuted = false;
	const output = new Writable({
		write(chunk, _, done) {
			if (!isMuted) prompt(String(chunk));
			done();
		},
	});
	const input = process.stdin;
	const lines = createInterface({ input, output, terminal: true });
	const closed = once(lines, "close");
	const answered = lines.question(question);
	isMuted = isSecret;
	const answer = await Promise.race([answered, closed]).catch(() => null);
	lines.close();
	const isAnswered = typeof answer === "string";
	if (isSecret || !isAnswered) report("");
	if (!isAnswered) throw new Failure("nothing was entered", 1);
	return answer.trim();
}

/** Matches line separators and marks of the text direction, which {@link withoutInvisible} keeps. */
const UNSEEN = /[\u2028\u2029\u200e\u200f\u061c\ufeff]/g;

/** Returns a text as a single line without control characters. */
export function clean(text: string): string {
	return cleanLines(text).replace(/[\n\t]+/g, " ");
}

/** Returns a text without control characters except line breaks and tabs. */
export function cleanLines(text: string): string {
	return withoutInvisible(text).replace(UNSEEN, "").replaceAll("\r\n", "\n");
}

/** Returns JSON without control characters. `JSON.stringify` does not escape all of them. */
export function toJson(value: unknown, indent = 0): string {
	return JSON.stringify(value, null, indent).replace(
		/[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\udb40]|(?<=\udb40)[\udc00-\udfff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

/** Formats a response as lines for people, without `ok` and `next`. */
export function describe(body: Readonly<Record<string, unknown>>): string {
	const { ok, next, ...shown } = body;
	return `${lines(shown).join("\n")}\n`;
}

function lines(value: object): string[] {
	return Object.entries(value).flatMap(([name, inner]) => {
		if (inner === null || inner === undefined) return [];
		const label = `${wordsOf(name)}:`;
		if (typeof inner !== "object") return [`${label} ${clean(String(inner))}`];
		if (!Array.isArray(inner)) {
			return [label, ...lines(inner).map((line) => `  ${line}`)];
		}
		if (inner.length === 0) return [`${label} none`];
		if (inner.every((one) => typeof one !== "object" || one === null)) {
			return [`${label} ${inner.map((one) => clean(String(one))).join(", ")}`];
		}
		return [label, ...inner.flatMap((one) => listed(lines(Object(one))))];
	});
}

function listed([first = "", ...others]: readonly string[]): string[] {
	return [`  - ${first}`, ...others.map((line) => `    ${line}`)];
}

/** Converts `relaxationPoints` to `relaxation points`. */
function wordsOf(name: string): string {
	return clean(name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
