import type { ServiceContext } from "../../core/resort/service-context.ts";
import { deleteFrom, sortTables, type Table } from "../../core/store/table-queries.ts";
import type { Task } from "../../core/store/task.ts";
import type { FaultInjector } from "./faults.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { CallRecorder } from "./recorded-calls.ts";

/** Inserts fixtures into an empty database. */
export type InsertFixtures = (context: ServiceContext) => Task<void>;

/** The parts of an instance that the testkit controls. */
export interface TestkitParts {
	/** Host names that the test controls accept in `Host` besides loopback names, in lower case. */
	readonly hosts: readonly string[];
	readonly faults: FaultInjector;
	readonly calls: CallRecorder;
	readonly openCalls: OpenCalls;
	/** The queries that delete all rows, as {@link deletesOf} creates them. */
	readonly deletes: ReturnType<typeof deletesOf>;
	readonly clock: Pick<MovableClock, "startMs" | "isFrozen" | "setTo" | "freeze" | "reset">;
	/**
	 * Creates the task that inserts the fixtures for a given current time; null without fixtures. Throws an
	 * error if the fixtures are impossible at that time.
	 */
	readonly fixtures: ((nowMs: number) => InsertFixtures) | null;
	/** Restarts the random generator with its initial seed. */
	restartRandom(): void;
}

/** Creates the queries that delete all rows, each before the rows that it refers to. */
export function deletesOf(tables: readonly Table[]) {
	return sortTables(tables)
		.toReversed()
		.map((table) => deleteFrom(table, undefined));
}

/** The test controls of an ephemeral instance. */
export interface Testkit extends TestkitParts {
	clearLimits(): Promise<void>;
	/** Runs the background tasks that are due at the new time. Called after the clock was moved or reset. */
	clockMoved(): Promise<void>;
}

declare module "../../core/resort/context.ts" {
	interface Context {
		/** The test controls; undefined if they are off. */
		readonly testkit?: Testkit;
	}
}
