import type { Configuration, Conflict } from "../config/config.ts";
import type { Settings, Values } from "../config/setting.ts";
import type { Flags, GivenSettings } from "../config/setting-sources.ts";
import type { CoreSettings } from "../config/settings.ts";
import type { Registration } from "../resort/registration-invites/service.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { Log } from "../server/log/log.ts";
import type { Engine } from "../store/engine.ts";
import type { Table } from "../store/table-queries.ts";
import type { Command, CommandGroup } from "./resort-command.ts";

/** Commands by name. Each module is loaded only when its command is called, which shortens the startup. */
export type Commands = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;

/** The contents of example files, or functions that load them, by file name. */
export type Examples = Readonly<Record<string, string | object | (() => Promise<string>)>>;

/**
 * What a part of the resort that the core does not need adds to the program. `cli/features.ts` lists all
 * features. `Own` is the type of the feature's own settings.
 */
export interface Feature<Own extends Settings = Settings> {
	readonly settings?: Own;
	/** Finds settings that cannot be combined. */
	conflicts?(config: Values<CoreSettings & Own>, given: GivenSettings): readonly Conflict[];
	/** Further environment variables that programs of this feature use. */
	readonly variables?: readonly string[];
	/** A further database engine. It has the settings of the feature. */
	readonly engine?: Engine<Values<Own>>;
	/** Loads the module of the feature's tables. */
	loadTables?(): Promise<Readonly<Record<string, Table>>>;
	commands?(program: Program<CoreSettings & Own>): Commands;
	loadExamples?(): Promise<Examples>;
}

/** A resort that runs in this process. */
export interface RunningInstance {
	/** The resort's URL for programs on this machine. */
	readonly url: string;
	/** The API keys of the agents that were created at the start, by agent id. */
	readonly agentKeys: Readonly<Record<string, string>>;
	/** Stops accepting connections, waits up to 10 s for requests in flight, and closes the database. */
	stop(): Promise<void>;
}

/** What a command that changes an existing database uses. */
export interface OpenServices {
	readonly context: ServiceContext;
	/** Who may register. */
	readonly registration: Registration;
	/** The log, which goes to stderr. */
	readonly log: Log;
}

/** The program, as the commands of a feature see it. */
export interface Program<S extends Settings> {
	readonly configuration: Configuration<S>;
	/** Loads the tables of the core and of all features. */
	loadTables(): Promise<readonly Table[]>;
	/**
	 * Opens an existing database, also while instances use it, and migrates it if necessary.
	 * @param stack closes the database and the log when the stack is disposed
	 * @throws StartError with exit code 2 for an in-memory database, 1 if the database cannot be opened
	 */
	openServices(flags: Flags, stack: AsyncDisposableStack): Promise<OpenServices>;
	/**
	 * Starts a resort.
	 * @param config what the {@link configuration} has read
	 * @param environment the environment variables, which may contain the password of a database server
	 * @throws StartError with exit code 1 if the database or a port is not available, 2 if a file that a
	 * setting names is invalid
	 */
	startInstance(config: Values<S>, log: Log, environment: NodeJS.ProcessEnv): Promise<RunningInstance>;
}
