import type { Ended } from "../../support/executable.ts";
import type { ProgramFolder } from "../../support/folder.ts";

export interface LogLine extends Record<string, unknown> {
	readonly message: string;
}

/** Runs an instance while `calls` runs, and returns the output of the instance. */
export async function logOf(
	folder: ProgramFolder,
	flags: readonly string[],
	calls: (url: string) => Promise<unknown>,
): Promise<Ended> {
	const resort = await folder.serve(["--ephemeral", ...flags]);
	await calls(resort.url);
	return resort.stop();
}

/** Returns the lines of a log in JSON: all of them, or only those with the message `wanted`. */
export function linesOf(log: string, wanted?: string): LogLine[] {
	const lines: LogLine[] = log
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	return lines.filter(({ message }) => message === (wanted ?? message));
}
