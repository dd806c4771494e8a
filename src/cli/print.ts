import { existsSync, readFileSync } from "node:fs";
import { writeAll } from "../client/write-all.ts";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { StartError } from "../lib/start-error.ts";

/** The descriptor of stdout. */
export const STDOUT = 1;

/** `O_CLOEXEC` on Linux: no descriptor that a program inherits has it. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Makes sure, on Linux, that stdout is open. If it is closed, the runtime opens `/dev/null` in its place.
 * @throws StartError if stdout is closed
 */
export function requireStdout(): void {
	const infoFile = `/proc/self/fdinfo/${STDOUT}`;
	if (!existsSync(infoFile)) return;
	const info = readFileSync(infoFile, "utf8");
	const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? "0", 8);
	if ((flags & CLOSE_ON_EXEC) === 0) return;
	throw new StartError("stdout is closed: nothing was done", 1);
}

/** Writes text to stdout. A reader that has ended, such as `head`, is not a failure. @throws StartError */
export function print(text: string): void {
	try {
		writeAll(STDOUT, text);
	} catch (error) {
		if (codeOf(error) === "EPIPE") return;
		throw new StartError(`cannot write to stdout: ${reasonOf(error)}`, 1);
	}
}

/** Writes a value to stdout as one line of JSON. */
export function printJson(value: object): void {
	print(`${JSON.stringify(value)}\n`);
}
