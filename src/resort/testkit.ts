/** How a clock is changed; null leaves that as it is. */
export interface ClockChange {
	/** Milliseconds since the epoch. */
	readonly timeMs: number | null;
	/** Whether the clock stands until it is told to go. */
	readonly isFrozen: boolean | null;
}

/** What is done to calls of an operation. */
export interface FaultPlan {
	/** The id of the operation. */
	readonly operation: string;
	/** The status of the failure that takes the operation's place; null for none. */
	readonly status: number | null;
	/** What that failure says; null for what is usual at its status. */
	readonly error: string | null;
	readonly retryAfterSeconds: number | null;
	/** How long the call is held up first. */
	readonly delayMs: number;
	/** Whether the connection is closed without an answer. */
	readonly drop: boolean;
	/** The agents, one of which a call must name, in lower case; null for any call. */
	readonly ids: readonly string[] | null;
}

/** A fault that is armed. */
export interface Fault extends FaultPlan {
	readonly id: string;
	/** How many more calls it meets; null for all until it is cleared. */
	readonly left: number | null;
}

/** What of a call decides whether a fault meets it. */
export interface Named {
	readonly operation: { readonly id: string };
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
}

/** The faults of an instance. */
export interface Faults {
	/** The ids of the operations that may fail. */
	readonly operations: readonly string[];
	readonly areArmed: boolean;
	/** Whether one is armed that closes connections. */
	readonly willDrop: boolean;
	/**
	 * Arms a fault.
	 * @param times how many calls it meets; 0 for all until it is cleared
	 * @throws ResortError `invalid` when too many are armed
	 */
	arm(plan: FaultPlan, times: number): Fault;
	/** Those that are still armed, the first one first. */
	list(): readonly Fault[];
	/** Disarms all. */
	clear(): void;
	/** The first fault that is armed for a call, which is counted; null for none. */
	meet(call: Named): Fault | null;
	/**
	 * Holds a call up.
	 * @param signal aborted when its caller is gone, which ends the wait
	 * @returns whether it goes on: its caller is there, and nobody has reset the resort meanwhile
	 */
	delay(delayMs: number, signal: AbortSignal): Promise<boolean>;
}

/** A call that was answered. */
export interface RecordedCall {
	/** The id of its operation; null where there is none. */
	readonly operation: string | null;
	readonly method: string;
	readonly path: string;
	/** Without its question mark and without keys; empty for none. */
	readonly query: string;
	/** Who called; null when nobody was authenticated. */
	readonly agentId: string | null;
	/** Null when the connection was closed without an answer, by a fault or by the caller. */
	readonly status: number | null;
	/** When it came: milliseconds since the epoch, by the clock of the resort. */
	readonly atMs: number;
	readonly requestId: string;
	/** The id of the fault that met it; null for none. */
	readonly fault: string | null;
}

/** The calls that an instance answered since its start or its last reset. */
export interface Calls {
	/** The newest first, by when they came. */
	list(): readonly RecordedCall[];
	clear(): void;
}

/** What tests may do to a throwaway instance. */
export interface Testkit {
	/** By which names the controls may be called, beside those of this machine; in lower case. */
	readonly hosts: readonly string[];
	readonly faults: Faults;
	readonly calls: Calls;
	/** Whether the clock stands. */
	readonly isFrozen: boolean;
	/**
	 * Puts everything back to what it was at the start.
	 * @throws ResortError `invalid` when the fixtures cannot be by now; nothing has changed then
	 */
	reset(): Promise<void>;
	/** Changes the clock. Stays that are over then are ended. */
	setClock(change: ClockChange): Promise<void>;
}
