/// <reference lib="esnext.disposable" />
/**
 * `agent-resort/testing` starts an ephemeral resort for tests, on Node 20 or later and on Bun. It requires
 * the executable `resort`; see {@link StartOptions.executable}.
 */
import type {
	CutConnections,
	Fault,
	Fixtures,
	OperationName,
	RecordedCall,
	ResortState,
} from "./schema-types.ts";

/** The options of an ephemeral resort; all are optional. */
export interface StartOptions {
	/** The initial agents, stays, experiences, votes and postcards: an object, or the path of a file. */
	readonly fixtures?: Fixtures | string;
	/** Runs with the same seed have the same ids, rooms, texts and keys. */
	readonly seed?: number;
	/** The UTC time of the clock at the start and after a reset. */
	readonly now?: string | Date;
	/** Freezes the clock until it is advanced or thawed. */
	readonly frozen?: boolean;
	/** The maximum duration of a stay in hours; fractions are allowed. 0 means unlimited and is the default. */
	readonly maxStay?: number;
	/** Enables rate limits. They are off by default. */
	readonly rateLimits?: boolean;
	/** Enables webhooks, which are off by default. Receivers on this machine are allowed, even with `http:`. */
	readonly webhooks?: boolean;
	/**
	 * The path of the `resort` executable. By default the value of RESORT_EXECUTABLE, else the file `resort`
	 * next to this module, else `resort` in the PATH.
	 */
	readonly executable?: string;
}

/** A fault that affects calls of one operation, or of all operations. */
export interface FaultOptions {
	/**
	 * An operation's id, its method and path such as `GET /api/agents/{id}/status`, or `*` for all operations.
	 */
	readonly operation: OperationName;
	/** The status of the response, 400 to 599. If it is set, the operation is not run. */
	readonly status?: number;
	/** The `error` field of the response with {@link status}. */
	readonly error?: string;
	/** The body of the response with {@link status}, instead of the usual JSON; at most 16,384 characters. */
	readonly body?: string;
	/** The `Content-Type` of {@link body}, `text/html; charset=utf-8` by default. */
	readonly contentType?: string;
	/**
	 * The `Retry-After` of the response with {@link status}, in seconds, at most 86,400. Omitted by default.
	 */
	readonly retryAfterSeconds?: number;
	/** The delay of the call in milliseconds, at most 60,000. */
	readonly delayMs?: number;
	/** Closes the connection without a response. */
	readonly drop?: true;
	/** The number of calls to affect; 1 by default. 0 means all until the fault is cleared. */
	readonly times?: number;
	/** Affects only calls that have one of these agent ids in the path or in the query parameter `ids`. */
	readonly ids?: readonly string[];
}

/** A selection of recorded calls. */
export interface CallsFilter {
	readonly operation?: OperationName;
	readonly agentId?: string;
}

/** A line of the log. Lines of requests have `method`, `route`, `status` and `requestId`, too. */
export interface LogLine {
	readonly "@timestamp": string;
	readonly level: "DEBUG" | "INFO" | "WARN" | "ERROR";
	readonly message: string;
	readonly [field: string]: unknown;
}

/** A resort with test controls. Only a {@link RunningResort} has a function that stops the resort. */
export interface ConnectedResort {
	/** The resort's address, without a trailing slash. */
	readonly url: string;
	/** The API keys of the fixtures' agents, by agent id, in the order of the fixtures. */
	readonly keys: Readonly<Record<string, string>>;
	/** Restores the initial state. */
	reset(): Promise<void>;
	/** Returns the current time and the numbers of agents and guests. */
	state(): Promise<ResortState>;
	/** Advances the clock by whole seconds, at most 315,360,000. */
	advance(seconds: number): Promise<void>;
	/** Sets the clock to a UTC time, which may be in the past. */
	setTime(time: string | Date): Promise<void>;
	/** Freezes the clock. */
	freeze(): Promise<void>;
	/** Lets a frozen clock run on from its current time. */
	thaw(): Promise<void>;
	/** Arms a fault: calls of an operation fail, are delayed, or lose their connection. */
	fault(fault: FaultOptions): Promise<Fault>;
	/** Returns the armed faults, oldest first. */
	faults(): Promise<readonly Fault[]>;
	/** Disarms all faults. */
	clearFaults(): Promise<void>;
	/** Returns the calls since the start or the last reset, newest first. */
	calls(filter?: CallsFilter): Promise<readonly RecordedCall[]>;
	/** Deletes the recorded calls. */
	clearCalls(): Promise<void>;
	/** Deletes all events, so that readers with any earlier cursor get `reset`. */
	forgetEvents(): Promise<void>;
	/** Closes the connections of all event streams and waiting calls, as a failing network does. */
	cutStreams(): Promise<CutConnections>;
}

/** A running resort. It stops when the process that started it ends, even if that process is killed. */
export interface RunningResort extends ConnectedResort {
	/** Returns the last 10,000 log lines, oldest first. A request is logged after its response. */
	logs(): readonly LogLine[];
	/** Stops the resort. Further calls have no effect. */
	stop(): Promise<void>;
	/** Calls {@link stop}, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an ephemeral resort with an in-memory database on a free port. Resolves when the resort is ready.
 *
 * If the resort cannot start, rejects with an Error that contains the output of the resort. Possible reasons
 * are a missing executable, or an invalid fixture or option.
 */
export type StartResort = (options?: StartOptions) => Promise<RunningResort>;

/**
 * Connects to a resort that was started with test controls, such as a service container, or the resort that
 * `resort test` starts.
 *
 * Rejects with an Error that contains the address if the resort does not answer or has no test controls.
 * @param url the address; by default the value of RESORT_URL. The keys of the resort at RESORT_URL are read
 * from RESORT_AGENT_KEYS, or from the file RESORT_AGENT_KEYS_FILE. A trailing slash makes no difference
 */
export type Connect = (url?: string) => Promise<ConnectedResort>;
