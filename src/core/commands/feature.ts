import type { Logger } from "@logtape/logtape";
import type { CredentialChecks } from "../calls/authenticate.ts";
import type { ConcurrencyLimit } from "../calls/concurrency-limit.ts";
import type { CallHook } from "../calls/handle.ts";
import type { PathHint } from "../calls/nearest-operation.ts";
import type { RateLimits } from "../calls/rate-limits.ts";
import type { Configuration, Conflict } from "../config/config.ts";
import type { Settings, Values } from "../config/setting.ts";
import type { Flags, GivenSettings } from "../config/setting-sources.ts";
import type { CoreSettings } from "../config/settings.ts";
import type { FailurePage, PathHandler } from "../http/app.ts";
import type { RequestObserver, Transport } from "../http/send-response.ts";
import type { Clock } from "../lib/clock.ts";
import type { Metric } from "../lib/metric.ts";
import type { Random } from "../lib/random.ts";
import type { Context } from "../resort/context.ts";
import type { Operation } from "../resort/operation.ts";
import type { Provider, ServiceContext } from "../resort/service-context.ts";
import type { CapacityWatch } from "../server/capacity.ts";
import type { Log } from "../server/log/log.ts";
import type { CheckResult } from "../store/check.ts";
import type { Engine } from "../store/engine.ts";
import type { PersonalTable } from "../store/personal-table.ts";
import type { Table } from "../store/table-queries.ts";
import type { Command, CommandGroup } from "./resort-command.ts";

/** Commands by name. Each module is loaded only when its command is called, which shortens the startup. */
export type Commands = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;

/** The contents of example files, or functions that load them, by file name. */
export type Examples = Readonly<Record<string, string | object | (() => Promise<string>)>>;

/** A part of the resort that the core does not need. `Own` is the type of the feature's own settings. */
export interface Feature<Own extends Settings = Settings> {
	readonly settings?: Own;
	/** Finds settings that cannot be combined. */
	conflicts?(config: Values<CoreSettings & Own>, given: GivenSettings): readonly Conflict[];
	/** Known environment variables that belong to no setting of the feature. */
	readonly variables?: readonly string[];
	/** A further database engine, which uses the settings of the feature. */
	readonly engine?: Engine<Values<Own>>;
	/** The settings that are also read by commands that change an existing database. */
	readonly settingsOfCommands?: readonly (keyof Own & string)[];
	/** The URL of the service that registers agents in place of the resort; null without one. */
	providerUrl?(config: Partial<Values<Own>>): string | null;
	/** The feature's part of {@link ServiceContext.endDependents}. Called even if the feature is off. */
	readonly endDependents?: ServiceContext["endDependents"];
	/** Loads all operations that the feature can add, for programs that list them. */
	loadOperations?(): Promise<Pick<Part, "operations" | "unlisted">>;
	/** Loads the module of the feature's tables. */
	loadTables?(): Promise<Readonly<Record<string, Table>>>;
	/** Loads the descriptions of those tables that contain data of agents. */
	loadPersonalTables?(): Promise<readonly PersonalTable[]>;
	/**
	 * Loads the part that the feature adds to an instance. Ports are bound here, before the database is opened.
	 * If the settings switch the feature off, the part contains at most hints, and no other module is loaded.
	 * @throws StartError with exit code 1 if a port is not available, 2 if a file that a setting names is
	 * invalid
	 */
	load?(
		config: Values<CoreSettings & Own>,
		program: Pick<Program<CoreSettings & Own>, "loadTables" | "loadPersonalTables">,
	): Promise<Part>;
	commands?(program: Program<CoreSettings & Own>): Commands;
	loadExamples?(): Promise<Examples>;
}

/** What a feature adds to one instance of the resort. */
export interface Part {
	/** Replaces the clock of the system. */
	readonly clock?: Clock;
	/** Replaces the random generator of the system. */
	readonly random?: Random;
	/** Returns the service that registers agents and checks their credentials in place of the resort. */
	provider?(clock: Clock): Provider & CredentialChecks;
	/** The operations of the API that the feature adds. */
	readonly operations?: readonly Operation[];
	/** Further operations, which are not listed in the API documents and not named in hints. */
	readonly unlisted?: readonly Operation[];
	/** Hints for paths of the feature that no operation has. */
	readonly pathHints?: readonly PathHint[];
	/** Runs before each call. */
	readonly hook?: CallHook;
	/** Receives every request after its response has been created. */
	readonly observe?: RequestObserver;
	/** The API keys of the agents that the feature creates at the start, by agent id. */
	readonly agentKeys?: Readonly<Record<string, string>>;
	/** Further fields of the line that is printed when the instance is ready. */
	readonly readyFields?: object;
	/** Further fields of the log line that is written when the instance is ready. */
	readonly loggedFields?: object;
	/** Creates the services of the feature. */
	attach?(app: AppServices): Attachment;
	/** Returns the function that writes the HTML page for a failure. */
	failurePage?(context: Context): FailurePage;
	/** Returns the handlers of paths that belong to no operation, such as the path of a protocol. */
	handlers?(transport: Transport, app: AppServices): readonly PathHandler[];
}

/** The services of a feature in one instance. */
export interface Attachment {
	/** The fields that the feature adds to the context of its operations. */
	readonly context?: Partial<Context>;
	/** Further values that a monitoring system can read. */
	readonly metrics?: readonly Metric[];
	/** Called before the first request is answered. */
	start?(app: App): void | Promise<void>;
	/** Called after a test has moved the clock. */
	clockMoved?(): void;
	/** Called when the instance begins to stop, to end requests that would stay open. */
	end?(): void;
	/** Called after the last request, while the database is still open. */
	stop?(): Promise<void>;
}

/** The services of an instance that a {@link Part} can use. */
export interface AppServices {
	readonly services: ServiceContext;
	readonly eventLog: Context["eventLog"];
	readonly baseUrl: string;
	/** All operations of the API that the instance offers. */
	readonly operations: readonly Operation[];
	/** The operations that are not listed in the API documents. */
	readonly unlisted: readonly Operation[];
	readonly rateLimits: RateLimits;
	readonly concurrency: ConcurrencyLimit;
	readonly capacity: CapacityWatch;
	readonly log: Logger;
	/** Runs the jobs that are due after a test has moved the clock. */
	clockMoved(): Promise<void>;
}

/** An instance that is ready to start. */
export interface App extends AppServices {
	readonly context: Context;
	/** The metrics of all features. */
	readonly metrics: readonly Metric[];
	/** Returns the number of requests without a complete response. */
	inFlight(): number;
	/** Returns the number of dropped log lines. */
	droppedLines(): number;
	/** Returns the findings of `resort doctor` that concern the settings and the backups. */
	examine(): Promise<readonly CheckResult[]>;
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

/** The services for a command that changes an existing database. */
export interface OpenServices {
	readonly context: ServiceContext;
	/** The log, which goes to stderr. */
	readonly log: Log;
}

/** The functions of the program that the commands of a feature can call. */
export interface Program<S extends Settings> {
	readonly configuration: Configuration<S>;
	/** Loads the tables of the core and of all features. */
	loadTables(): Promise<readonly Table[]>;
	/** Loads the descriptions of all features' tables with data of agents. */
	loadPersonalTables(): Promise<readonly PersonalTable[]>;
	/**
	 * Opens an existing database, even while instances use it, and migrates it if necessary.
	 * @param stack closes the database and the log when it is disposed
	 * @throws StartError with exit code 2 for an in-memory database, 1 if the database cannot be opened
	 */
	openServices(flags: Flags, stack: AsyncDisposableStack): Promise<OpenServices>;
	/**
	 * Starts a resort.
	 * @param config the values that the {@link configuration} has read
	 * @param environment the environment variables, which may contain the password of a database server
	 * @throws StartError with exit code 1 if the database or a port is not available, 2 if a file that a
	 * setting names is invalid
	 */
	startInstance(config: Values<S>, log: Log, environment: NodeJS.ProcessEnv): Promise<RunningInstance>;
}
