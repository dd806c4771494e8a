import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { StartError } from "../lib/start-error.ts";

const STDIN = 0;

/**
 * Makes sure that stdin stays open as long as the program that started this one, for `--exit-with-parent`.
 * @throws StartError with exit code 2 for a file, `/dev/null` and a stdin that is closed, which end at once
 */
export function requireParent(): void {
	if (isatty(STDIN) || isPipe()) return;
	throw new StartError(
		"--exit-with-parent: stdin must be a pipe that the parent holds open; it is closed, a file or /dev/null",
		2,
	);
}

/**
 * Waits until stdin closes, also when the parent was killed; what comes over it is thrown away.
 */
export async function parentToEnd(): Promise<void> {
	try {
		for await (const _ of Bun.stdin.stream());
	} catch {
		// A pipe that broke is closed too.
	}
}

function isPipe(): boolean {
	try {
		const stdin = fstatSync(STDIN);
		return stdin.isFIFO() || stdin.isSocket();
	} catch {
		return false;
	}
}
