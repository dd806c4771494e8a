/// <reference lib="esnext.disposable" />
/**
 * `agent-resort/testing`: a throwaway resort for a test, on Node 20 or later and on Bun. It needs the executable `resort`,
 * see {@link StartOptions.executable}.
 */

/** With what a throwaway resort begins. All of it may be left out. */
export interface StartOptions {
	/** Agents, stays, experiences, votes and postcards to begin with: the fixtures as an object, or the path of their file. */
	readonly fixtures?: object | string;
	/** The same number gives the same ids, rooms, texts and keys at each run. */
	readonly seed?: number;
	/** What its clock says at the start, and after a reset: a UTC time. */
	readonly now?: string | Date;
	/** Whether its clock stands until it is told to move. */
	readonly frozen?: boolean;
	/** Hours after which a stay is ended, fractions allowed; 0, the usual one, is never. */
	readonly maxStay?: number;
	/** Whether there are rate limits; there are none when left out. */
	readonly rateLimits?: boolean;
	/**
	 * The program `resort`. When left out, it is what the variable RESORT_EXECUTABLE names, else the file `resort` beside this
	 * module, else `resort` on the PATH.
	 */
	readonly executable?: string;
}

/** A fault that a resort is armed with: it meets calls of one operation. */
export interface FaultOptions {
	/** The operation's id, as in the OpenAPI document: `getAgentStatus`. */
	readonly operation: string;
	/** The status that is answered in its place, 400 to 599. */
	readonly status?: number;
	/** The text of that answer's `error`. */
	readonly error?: string;
	/** The seconds of its `Retry-After`, 86,400 at most; there is no such field when left out. */
	readonly retryAfterSeconds?: number;
	/** How long the answer is held back, in milliseconds, 60,000 at most. */
	readonly delayMs?: number;
	/** Closes the connection without an answer. */
	readonly drop?: true;
	/** How many calls it meets: 1 when left out, 0 until it is cleared. */
	readonly times?: number;
	/** Only calls that name one of these agents, in the path or in `ids`. */
	readonly ids?: readonly string[];
}

/** A fault that is armed. What was left out is null, 0 or false. */
export interface Fault {
	/** What {@link RecordedCall.fault} names it by. */
	readonly id: string;
	readonly operation: string;
	readonly status: number | null;
	readonly error: string | null;
	readonly retryAfterSeconds: number | null;
	readonly delayMs: number;
	readonly drop: boolean;
	readonly ids: readonly string[] | null;
	/** How many calls it will still meet; null for all until it is cleared. */
	readonly left: number | null;
}

/** Which calls are asked for. */
export interface CallsFilter {
	readonly operation?: string;
	readonly agentId?: string;
}

/** A call that the resort was asked. */
export interface RecordedCall {
	/** Null for an unknown path. */
	readonly operation: string | null;
	readonly method: string;
	readonly path: string;
	readonly query: string;
	readonly agentId: string | null;
	/** Null when no answer was sent: a fault dropped the connection, or the client gave up before. */
	readonly status: number | null;
	readonly at: string;
	readonly requestId: string;
	/** The id of the fault that met it. */
	readonly fault: string | null;
}

/** What a resort is like now. */
export interface ResortState {
	/** The time of its clock. */
	readonly now: string;
	/** Whether its clock stands. */
	readonly frozen: boolean;
	/** How many agents are not deactivated. */
	readonly agents: number;
	/** How many of them are checked in. */
	readonly guests: number;
}

/** A resort that serves for a test, and ends with the process that started it, however that ends. */
export interface RunningResort {
	/** Its address, without a slash at its end. */
	readonly url: string;
	/** The keys of the fixtures' agents, by their ids. */
	readonly keys: Readonly<Record<string, string>>;
	/** Puts everything back to what it was at the start. */
	reset(): Promise<void>;
	/** Tells its time, and how many agents and guests there are. */
	state(): Promise<ResortState>;
	/** Moves its clock on by so many whole seconds, 315,360,000 at most. */
	advance(seconds: number): Promise<void>;
	/** Sets its clock to a UTC time, also back. */
	setTime(time: string | Date): Promise<void>;
	/** Stops its clock. */
	freeze(): Promise<void>;
	/** Lets its clock go on. */
	thaw(): Promise<void>;
	/** Makes calls of an operation fail, wait, or lose their connection. */
	fault(fault: FaultOptions): Promise<Fault>;
	/** The faults that are still armed, the oldest first. */
	faults(): Promise<readonly Fault[]>;
	/** Disarms all faults. */
	clearFaults(): Promise<void>;
	/** What it was asked since the start or the last reset, newest first. */
	calls(filter?: CallsFilter): Promise<readonly RecordedCall[]>;
	/** Forgets what it was asked. */
	clearCalls(): Promise<void>;
	/** Ends it; does nothing the second time. */
	stop(): Promise<void>;
	/** The same, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a throwaway resort, in memory and on a free port. Resolves when it answers.
 *
 * The promise is rejected with an Error that tells what `resort` said when it does not start: the program is not
 * found, or the fixtures or another option are wrong.
 */
export type StartResort = (options?: StartOptions) => Promise<RunningResort>;
