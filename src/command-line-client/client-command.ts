import type {
	CommandLine,
	CommandShape,
	KnownFlags,
} from "../lib/command-line.ts";
import type { Configuration } from "./configuration.ts";
import type { Body } from "./operation-call.ts";

/** The flags of every command. */
export const commonFlags: KnownFlags = {
	json: { help: "JSON, also on a terminal" },
	config: {
		value: "FILE",
		help: "the configuration, instead of ~/.agent-resort.json",
	},
	insecure: { help: "allow http: to every host, not only to loopback" },
	help: { help: "this text" },
};

/** What a command works with. */
export interface Context {
	/** The name of the program. */
	readonly name: string;
	readonly commands: Commands;
	readonly line: CommandLine;
	readonly env: NodeJS.ProcessEnv;
	/** Whether answers are shown as JSON, for programs. */
	readonly isJson: boolean;
	/** Reads the configuration and shows its warnings. @throws Failure as `readConfiguration` */
	readonly configuration: () => Configuration;
	readonly show: (body: Body) => void;
}

/** A command of the client. */
export interface Command extends CommandShape {
	/** Returns the help text if the words before `--help` select another one; else it is empty. */
	readonly helpOn?: (words: readonly string[]) => string;
	/** The operations that it calls, as method and path. First those whose calls are shown as this command. */
	readonly routes?: readonly string[];
	/** What follows its name in the example of its help text. */
	readonly example?: string;
	readonly exampleInput?: string;
	readonly choices?: readonly string[];
	readonly run: (context: Context) => Promise<void>;
}

/** Commands by name. */
export type Commands = Readonly<Record<string, Command>>;
