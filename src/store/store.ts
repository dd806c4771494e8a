/** The interface through which services use the database. SQLite and PostgreSQL implement it. */
import type { Metric } from "../lib/metric.ts";
import type { Window } from "../lib/sliding-window.ts";
import type { Space } from "./space.ts";
import type { QueryResult } from "./task.ts";

/** A value that can be bound to a parameter. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/** A row of an engine by column names: numbers, texts, bytes or null. */
export type EngineRow = Record<string, unknown>;

/** A prepared statement of an engine. */
export interface Statement {
	/** Runs the statement to its end. Returns its first row, converted by `read`, or undefined without rows. */
	get<T>(
		parameters: readonly Value[],
		read: (row: EngineRow) => T,
	): QueryResult<T | undefined>;
	all<T>(
		parameters: readonly Value[],
		read: (row: EngineRow) => T,
	): QueryResult<T[]>;
	run(parameters: readonly Value[]): QueryResult<void>;
}

/** An event as caches and subscriptions receive it. */
export interface StoreEvent {
	/** The type of the event, or {@link EXTERNAL_CHANGE}. */
	readonly type: string;
	/** The agent concerned; null if there is none. */
	readonly agentId: string | null;
}

/** Reports that anything may have changed, because another program wrote or a change was rolled back. */
export const EXTERNAL_CHANGE: StoreEvent = { type: "elsewhere", agentId: null };

/** The numbers of pending changes, of commits, and of the changes in those commits. */
export interface StoreStatistics {
	readonly pending: number;
	readonly commits: number;
	/** Includes changes that were refused and rolled back. */
	readonly committedChanges: number;
}

/** The beginning of an outage of a database server with its reason, or its end with its duration. */
export type Outage =
	| { readonly isOver: false; readonly reason: string }
	| { readonly isOver: true; readonly lastedMs: number };

/** The boundaries of the ids of events. */
export interface EventWatermarks {
	/** No further event gets this id or a smaller one. The value may be smaller than before while events are written. */
	readonly final: number;
	/** The largest id that was ever assigned. */
	readonly newest: number;
}

/** An open database. */
export interface Store {
	/** Its location without secrets: the absolute path of its file, `:memory:`, or a URL without a password. */
	readonly path: string;
	readonly statistics: StoreStatistics;
	/**
	 * Prepares a statement.
	 * @param locks whether the rows that it reads stay locked until the end of the transaction; without effect if
	 * changes do not run concurrently
	 * @throws errors of the engine
	 */
	prepare(text: string, locks?: boolean): Statement;
	/**
	 * Runs a read-only service function or a single query.
	 * @returns its result, as a promise if the engine is asynchronous
	 * @throws its errors; ResortError `unavailable` if the database does not respond
	 */
	read<T>(task: () => QueryResult<T>): T | Promise<T>;
	/**
	 * Runs a service function or a query that writes, in the next commit.
	 * @param task rolled back if it throws. It may run again after a rollback, so it must have no other effects
	 * @returns its result, once it is committed
	 * @throws its errors; ResortError `unavailable` if the database fails
	 */
	write<T>(task: () => QueryResult<T>): Promise<T>;
	/**
	 * Like {@link write}, but a power failure may lose the change. If the database is not shared, the change is visible as
	 * soon as this returns, before earlier changes that are pending.
	 */
	writeUnsynced<T>(task: () => QueryResult<T>): Promise<T>;
	/**
	 * Handles a request with a deadline, after which the request's queries fail with `unavailable`. A synchronous engine
	 * has no deadline.
	 */
	withDeadline<T>(request: () => T | Promise<T>): T | Promise<T>;
	/**
	 * Runs long work without the deadline of the current request: each of its queries and changes has a time limit of its
	 * own.
	 */
	withoutDeadline<T>(work: () => T): T;
	/**
	 * Locks `name` until the end of the transaction; without effect if changes do not run concurrently. To avoid
	 * deadlocks, a change locks the row of its agent first.
	 */
	lock(name: string): QueryResult<void>;
	/**
	 * Removes overwritten and deleted data from the files of the database; without effect on a database server.
	 * @throws ResortError `unavailable` if another program prevents it
	 */
	scrub(): Promise<void>;
	/** Returns the boundaries of the ids of events. Run it before the query that reads the events. */
	eventWatermarks(): QueryResult<EventWatermarks>;
	/** Lets the ids of events begin again at 1. Called in a change that deletes all events. */
	restartEventIds(): QueryResult<void>;
	/** Publishes an event. Called in a change; listeners receive the event after the change has run. */
	publish(event: StoreEvent): QueryResult<void>;
	/**
	 * Calls `listener` for every event from now on, before any reader can see the change.
	 * @param listener must not throw; it also receives events of changes whose commit fails
	 */
	subscribe(listener: (event: StoreEvent) => void): void;
	/**
	 * Checks for commits by other instances and publishes their events, or {@link EXTERNAL_CHANGE} if those are unknown.
	 * Required at the start of each request that uses a cache.
	 * @returns null if the check is complete, else a promise that never rejects
	 */
	checkFreshness(): Promise<void> | null;
	/** Metrics of the engine. */
	readonly metrics?: readonly Metric[];
	/** Calls `listener`, which must not throw, when an outage begins or ends. */
	onOutage?(listener: (outage: Outage) => void): void;
	/** Whether other instances may serve the same database. */
	readonly isShared: boolean;
	/**
	 * Creates a window that all instances of a shared database count in; null if each has its own database. Its methods
	 * throw ResortError `unavailable` during an outage.
	 */
	readonly createWindow: ((name: string, windowMs: number) => Window) | null;
	/** Measures how much room the database takes. @throws errors of the engine */
	measureSpace(): Space | Promise<Space>;
	/** Checks whether the database responds and is still in its place. */
	isReadable(): boolean | Promise<boolean>;
	/** Commits pending changes and closes the database. */
	close(): Promise<void>;
}

/** An open database, with notices for its host. */
export interface OpenedStore {
	readonly store: Store;
	/** The migration that was run; null without one. */
	readonly migration: object | null;
	/** A problem in one sentence; null without one. */
	readonly warning: string | null;
}

/** For listeners: calls `run` after the commit of the event. SQLite commits in the same turn of the event loop. */
export function afterCommit(run: () => void): void {
	setImmediate(run);
}
