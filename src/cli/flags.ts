import {
	type Flag,
	type KnownFlags,
	parseCommandLine,
} from "../lib/command-line.ts";

/** A flag of a command. */
export type FlagHelp = Flag;

/** Parses the command line of a command of `resort admin`. */
export function parseCommand(
	name: string,
	args: readonly string[],
	flags: KnownFlags,
	words: readonly string[],
) {
	const shape = { summary: "", words: words.join(" "), flags };
	return parseCommandLine(args, name, shape);
}
