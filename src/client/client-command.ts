import type { CommandLine, CommandShape, KnownFlags } from "../core/lib/command-line.ts";
import type { Configuration } from "./configuration.ts";
import type { Body } from "./operation-call.ts";

/** The flags that every command accepts. */
export const commonFlags: KnownFlags = {
	json: { help: "print JSON, even on a terminal" },
	config: { value: "FILE", help: "configuration file, instead of ~/.agent-resort.json" },
	insecure: { help: "allow http: to any host, not only to loopback" },
	help: { help: "show this help" },
};

/** The parts of the client that a command can use. */
export interface Context {
	/** The name of the program. */
	readonly name: string;
	/** The start of suggested commands: the name, and `--config` and `--insecure` if they were given. */
	readonly start: string;
	readonly commands: Commands;
	readonly line: CommandLine;
	/** Whether responses are printed as JSON, for programs. */
	readonly isJson: boolean;
	/** Reads the configuration and prints its warnings. @throws the errors of `readConfiguration` */
	readonly configuration: () => Configuration;
	readonly show: (body: Body) => void;
}

/** A command of the client. */
export interface Command extends CommandShape {
	/** Returns the help text for the words before `--help`; empty to show the help text of the command. */
	readonly helpOn?: (words: readonly string[]) => string;
	/**
	 * The routes of operations that this command calls. Where a response suggests a call of such an operation,
	 * the client shows this command.
	 */
	readonly routes?: readonly string[];
	/** The arguments in the example of the help text. */
	readonly example?: string;
	readonly exampleInput?: string;
	readonly choices?: readonly string[];
	readonly run: (context: Context) => Promise<void>;
}

/** Commands by name. */
export type Commands = Readonly<Record<string, Command>>;
