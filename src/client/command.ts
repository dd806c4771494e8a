import type { Told } from "./call.ts";
import type { Configuration, Sources } from "./configuration.ts";
import type { Flags, Line } from "./flags.ts";
import type { World } from "./world.ts";

/** What a command works with. */
export interface Context {
	readonly world: World;
	readonly line: Line;
	readonly sources: Sources;
	/** Every command by its name. */
	readonly commands: Readonly<Record<string, Command>>;
	/** Whether answers are JSON, for programs. */
	readonly isJson: boolean;
	/**
	 * The configuration in force; its warnings have been told.
	 * @throws Failure as `readConfiguration`
	 */
	readonly configuration: () => Configuration;
	/**
	 * The same for what needs a key: where nothing is configured, somebody on a terminal is asked.
	 * @throws Failure as `readConfiguration`
	 */
	readonly known: () => Promise<Configuration>;
	/** Shows an answer on stdout. */
	readonly show: (told: Told) => void;
}

/** A command of the client. */
export interface Command {
	/** What it does, in a few words. */
	readonly summary: string;
	/** The words behind its name, for the help: `ID`, `[ID...]`. */
	readonly words: string;
	/** More about it, in Markdown. */
	readonly about?: string;
	/** What the help tells when words stand before `--help`; empty when it is the usual one. */
	readonly helpOn?: (words: readonly string[]) => string;
	/** How many words it takes, at least and at most. */
	readonly count: readonly [least: number, most: number];
	/** Its own flags. */
	readonly flags: Flags;
	/** The operations that it calls, as method and path; first those that it stands for in the words of a resort. */
	readonly routes?: readonly string[];
	/** What stands behind its name in the example of its help. */
	readonly example?: string;
	/** What gives its stdin in that example. */
	readonly exampleInput?: string;
	/** The words that complete its first one. */
	readonly choices?: readonly string[];
	readonly run: (context: Context) => Promise<void>;
}
