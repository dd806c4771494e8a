import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { StartError } from "../lib/start-error.ts";

const STDIN = 0;

/**
 * Makes sure that stdin is open until the parent process ends: not a file, `/dev/null` or closed, which end at once.
 * @throws StartError with exit code 2
 */
export function requireParent(): void {
	if (isatty(STDIN) || isPipe()) return;
	throw new StartError(
		"--exit-with-parent: stdin must be a pipe that the parent holds open; it is closed, a file or /dev/null",
		2,
	);
}

/** Resolves when stdin closes, also because the parent was killed. Discards its data. */
export async function parentToEnd(): Promise<void> {
	try {
		for await (const _ of Bun.stdin.stream());
	} catch {
		// A broken pipe is closed.
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
