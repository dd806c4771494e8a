import { closeSync, openSync } from "node:fs";
import { codeOf } from "../lib/failure.ts";

/** Windows has no such file, and no such limit either. */
const NULL_DEVICE = "/dev/null";

/** What the system says when the process, or the whole system, has no file descriptor left. */
const EXHAUSTED = new Set(["EMFILE", "ENFILE"]);

/**
 * Whether the process can open so many more files. It tries: the limits themselves differ from system to
 * system, and who uses how many of them is told nowhere. A try costs some microseconds a file.
 */
export function canOpen(files: number): boolean {
	const opened: number[] = [];
	try {
		while (opened.length < files) opened.push(openSync(NULL_DEVICE, "r"));
		return true;
	} catch (error) {
		return !EXHAUSTED.has(codeOf(error));
	} finally {
		for (const descriptor of opened) closeSync(descriptor);
	}
}
