import type { CommandLine, CommandShape } from "../lib/command-line.ts";

/** A command of `resort`. */
export interface Command extends CommandShape {
	readonly run: (line: CommandLine) => void | Promise<void>;
}

/** A command with subcommands. It parses its own command line. */
export interface CommandGroup {
	readonly summary: string;
	readonly help: () => string;
	readonly run: (args: readonly string[]) => Promise<void>;
}
