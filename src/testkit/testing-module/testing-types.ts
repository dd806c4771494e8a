/// <reference lib="esnext.disposable" />
/**
 * `agent-resort/testing`: an ephemeral resort for tests, on Node 20 or later and on Bun. It needs the executable
 * `resort`, see {@link StartOptions.executable}.
 */

/** The options of an ephemeral resort; all are optional. */
export interface StartOptions {
	/** Agents, stays, experiences, votes and postcards to begin with: an object, or the path of a file. */
	readonly fixtures?: object | string;
	/** The same seed gives the same ids, rooms, texts and keys at each run. */
	readonly seed?: number;
	/** The time of the clock at the start and after a reset: a UTC time. */
	readonly now?: string | Date;
	/** Stops the clock until it is moved or thawed. */
	readonly frozen?: boolean;
	/** Hours after which a stay is ended, fractions allowed; 0, the default, is never. */
	readonly maxStay?: number;
	/** Turns rate limits on; they are off by default. */
	readonly rateLimits?: boolean;
	/**
	 * The program `resort`. By default the value of the variable RESORT_EXECUTABLE, else the file `resort` beside this
	 * module, else `resort` on the PATH.
	 */
	readonly executable?: string;
}

/** A fault for calls of one operation. */
export interface FaultOptions {
	/** The operation's id in the OpenAPI document, such as `getAgentStatus`. */
	readonly operation: string;
	/** The status of the response instead of running the operation, 400 to 599. */
	readonly status?: number;
	/** The `error` of that response. */
	readonly error?: string;
	/** The `Retry-After` of that response in seconds, at most 86,400; by default it has none. */
	readonly retryAfterSeconds?: number;
	/** The delay of the call in milliseconds, at most 60,000. */
	readonly delayMs?: number;
	/** Closes the connection without a response. */
	readonly drop?: true;
	/** The number of calls that it affects, 1 by default; 0 is all until it is cleared. */
	readonly times?: number;
	/** Affects only calls with one of these agents in the path or in `ids`. */
	readonly ids?: readonly string[];
}

/** An armed fault. Options that were left out are null, 0 or false. */
export interface Fault {
	/** {@link RecordedCall.fault} of the calls that it affected. */
	readonly id: string;
	readonly operation: string;
	readonly status: number | null;
	readonly error: string | null;
	readonly retryAfterSeconds: number | null;
	readonly delayMs: number;
	readonly drop: boolean;
	readonly ids: readonly string[] | null;
	/** The number of calls that it still affects; null for all until it is cleared. */
	readonly left: number | null;
}

/** Selects recorded calls. */
export interface CallsFilter {
	readonly operation?: string;
	readonly agentId?: string;
}

/** A call that the resort has handled. */
export interface RecordedCall {
	/** Null for an unknown path. */
	readonly operation: string | null;
	readonly method: string;
	readonly path: string;
	readonly query: string;
	readonly agentId: string | null;
	/** Null when a fault or the client closed the connection before the response. */
	readonly status: number | null;
	readonly at: string;
	readonly requestId: string;
	/** The id of the fault that affected it. */
	readonly fault: string | null;
}

/** The state of a resort. */
export interface ResortState {
	/** The time of its clock. */
	readonly now: string;
	/** Whether its clock is stopped. */
	readonly frozen: boolean;
	/** The number of agents that are not deactivated. */
	readonly agents: number;
	/** The number of agents that are checked in. */
	readonly guests: number;
}

/** A running resort. It ends with the process that started it, even if that is killed. */
export interface RunningResort {
	/** Its address, without a trailing slash. */
	readonly url: string;
	/** The API keys of the fixtures' agents, by agent id. */
	readonly keys: Readonly<Record<string, string>>;
	/** Restores the state of the start. */
	reset(): Promise<void>;
	/** Returns its time and the numbers of agents and guests. */
	state(): Promise<ResortState>;
	/** Advances its clock by whole seconds, at most 315,360,000. */
	advance(seconds: number): Promise<void>;
	/** Sets its clock to a UTC time, which may be in the past. */
	setTime(time: string | Date): Promise<void>;
	/** Stops its clock. */
	freeze(): Promise<void>;
	/** Restarts its clock. */
	thaw(): Promise<void>;
	/** Makes calls of an operation fail, wait, or lose their connection. */
	fault(fault: FaultOptions): Promise<Fault>;
	/** Lists the armed faults, the oldest first. */
	faults(): Promise<readonly Fault[]>;
	/** Disarms all faults. */
	clearFaults(): Promise<void>;
	/** Lists the calls since the start or the last reset, the newest first. */
	calls(filter?: CallsFilter): Promise<readonly RecordedCall[]>;
	/** Clears the recorded calls. */
	clearCalls(): Promise<void>;
	/** Stops the resort; does nothing the second time. */
	stop(): Promise<void>;
	/** The same, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an ephemeral resort, in memory and on a free port. Resolves when it is ready.
 *
 * Rejects with an Error that contains the output of `resort` when it cannot start, for example because the executable
 * is missing, or the fixtures or another option are wrong.
 */
export type StartResort = (options?: StartOptions) => Promise<RunningResort>;
