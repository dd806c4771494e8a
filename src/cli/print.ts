import { writeAll } from "../client/write-all.ts";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { StartError } from "../lib/start-error.ts";

/** The descriptor of stdout. */
export const STDOUT = 1;

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
