import type { FaultInjector } from "./faults.ts";
import type { CallRecorder } from "./recorded-calls.ts";

/** A change of the clock; null leaves that part as it is. */
export interface ClockChange {
	/** Milliseconds since the epoch. */
	readonly timeMs: number | null;
	readonly isFrozen: boolean | null;
}

/** What tests control in an ephemeral instance. */
export interface Testkit {
	/** The values of `Host` that the test controls accept besides loopback names, in lower case. */
	readonly hosts: readonly string[];
	readonly faults: FaultInjector;
	readonly calls: CallRecorder;
	readonly isFrozen: boolean;
	/**
	 * Restores the state of the start.
	 * @throws ResortError `invalid` when the fixtures are impossible at the present time; nothing has changed then
	 */
	reset(): Promise<void>;
	/** Changes the clock, and ends stays that are overdue at the new time. */
	setClock(change: ClockChange): Promise<void>;
}
