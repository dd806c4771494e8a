import type { ServiceContext } from "../resort/service-context.ts";
import type { Task } from "../store/task.ts";
import type { FaultInjector } from "./faults.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { CallRecorder } from "./recorded-calls.ts";

/** Inserts fixtures into an empty database. */
export type InsertFixtures = (context: ServiceContext) => Task<void>;

/** The parts of an instance that the testkit controls. */
export interface TestkitParts {
	/** The values of `Host` that the test controls accept besides loopback names, in lower case. */
	readonly hosts: readonly string[];
	readonly faults: FaultInjector;
	readonly calls: CallRecorder;
	readonly clock: Pick<
		MovableClock,
		"startMs" | "isFrozen" | "setTo" | "freeze" | "reset"
	>;
	/** Makes the task that inserts the fixtures as of a time; null without fixtures. Throws what makes them impossible. */
	readonly fixtures: ((nowMs: number) => InsertFixtures) | null;
	/** Restores the randomness of the start. */
	restartRandom(): void;
}

/** The test controls of an ephemeral instance. */
export interface Testkit extends TestkitParts {
	clearLimits(): Promise<void>;
	/** Runs what is due at a new time. */
	clockMoved(): Promise<void>;
}
