import type { Metric } from "../lib/metric.ts";
import { RETRY_SECONDS, ResortError } from "../lib/resort-error.ts";
import type { Window } from "../lib/sliding-window.ts";
import type { Space } from "./space.ts";
import type { Task } from "./task.ts";

/** A value that can be bound to a parameter. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/** A row as the engine returns it: numbers, texts, bytes or null, by column name. */
export type EngineRow = Record<string, unknown>;

/** A statement that an engine has prepared. */
export interface Statement {
	/** Runs the statement to completion. Returns its first row, converted by `read`; undefined without rows. */
	get<T>(parameters: readonly Value[], read: (row: EngineRow) => T): Task<T | undefined>;
	all<T>(parameters: readonly Value[], read: (row: EngineRow) => T): Task<T[]>;
	run(parameters: readonly Value[]): Task<void>;
}

/** An event for caches and subscriptions. */
export interface StoreEvent {
	/** The type of the event, or {@link EXTERNAL_CHANGE}. */
	readonly type: string;
	/** The agent that the event concerns; null if it concerns no agent. */
	readonly agentId: string | null;
}

/** The event for unknown changes: changes by another program, or a change that was rolled back. */
export const EXTERNAL_CHANGE: StoreEvent = { type: "elsewhere", agentId: null };

/** The numbers of pending changes, of commits, and of the changes in these commits. */
export interface StoreStatistics {
	readonly pending: number;
	readonly commits: number;
	/** Includes changes that were refused and rolled back. */
	readonly committedChanges: number;
}

/** Boundaries of event ids. */
export interface EventWatermarks {
	/**
	 * All events up to this id can be read: no transaction can still add an event with a lower id. The value
	 * may temporarily decrease.
	 */
	readonly final: number;
	/** The highest id ever assigned. */
	readonly newest: number;
}

/** An open database: the contract between the services and the database, which every engine implements. */
export interface Store {
	/** The location without secrets: the absolute path of a file, `:memory:`, or a URL without its password. */
	readonly path: string;
	readonly statistics: StoreStatistics;
	/** Why the database cannot be used at the moment; null if the store knows no reason. */
	readonly fault: string | null;
	/**
	 * Prepares a statement.
	 * @param locks whether the statement locks the rows that it reads until the end of the transaction. SQLite
	 * needs no locks, because its transactions do not run concurrently
	 * @throws errors of the engine
	 */
	prepare(text: string, locks?: boolean): Statement;
	/**
	 * Runs a read-only task. The result is a promise if the engine is asynchronous.
	 * @param task may run again from its beginning, so it must have no side effects
	 * @throws errors of the task; ResortError `unavailable` if the database does not respond
	 */
	read<T>(task: () => Task<T>): T | Promise<T>;
	/**
	 * Runs a task that writes, as a part of the next commit. Resolves with the result after the commit.
	 * @param task is rolled back if it throws. It may then run again, so it must have no other side effects
	 * @throws errors of the task; ResortError `unavailable` if the database fails
	 */
	write<T>(task: () => Task<T>): Promise<T>;
	/**
	 * Writes as {@link write} does, but a power failure can lose the change, and the change can overtake
	 * pending changes. On SQLite, the change is visible when this function returns, unless another process is
	 * writing.
	 */
	writeUnsynced<T>(task: () => Task<T>): Promise<T>;
	/** Runs `request`. After a deadline, which SQLite does not have, its queries fail with `unavailable`. */
	withDeadline<T>(request: () => T | Promise<T>): T | Promise<T>;
	/** Runs long work without the deadline of its request. Each query and change has its own time limit. */
	withoutDeadline<T>(work: () => T): T;
	/**
	 * Locks `name` until the end of the transaction, except on SQLite. To avoid deadlocks, a transaction must
	 * first lock the row of the calling agent.
	 */
	lock(name: string): Task<void>;
	/**
	 * Empties the log of a SQLite file, because the log contains overwritten and deleted data.
	 * @throws ResortError `unavailable` if another program prevents it
	 */
	scrub(): Promise<void>;
	/** Returns the boundaries of event ids. Call it before the query that reads the events. */
	eventWatermarks(): Task<EventWatermarks>;
	/** Resets event ids to 1. Call it in a transaction that deletes all events. */
	restartEventIds(): Task<void>;
	/** Publishes an event. Call it in a transaction; listeners receive the event after the task has run. */
	publish(event: StoreEvent): Task<void>;
	/**
	 * Calls `listener` for every event from now on, before any reader can see the change. The listener must not
	 * throw. It is called even for changes whose commit then fails.
	 */
	subscribe(listener: (event: StoreEvent) => void): void;
	/**
	 * Publishes the events of commits by other instances, or {@link EXTERNAL_CHANGE} if they are unknown. Call
	 * it at the start of every request that uses a cache.
	 * @returns null if the check is already complete, else a promise that never rejects
	 */
	checkFreshness(): Promise<void> | null;
	/** Metrics of the engine. */
	readonly metrics?: readonly Metric[];
	/** Whether other instances may serve the same database. */
	readonly isShared: boolean;
	/**
	 * Creates a sliding window that all instances share; null if the database is not shared. The methods of the
	 * window throw ResortError `unavailable` during an outage.
	 */
	readonly createWindow: ((name: string, windowMs: number) => Window) | null;
	/** Measures the space that the database uses. @throws errors of the engine */
	measureSpace(): Space | Promise<Space>;
	/** Whether the database responds, its file has not been moved or replaced, and changes can be stored. */
	isHealthy(): Promise<boolean>;
	/** Commits pending changes and closes the database. */
	close(): Promise<void>;
}

/** An open database, and what to tell the operator about it. */
export interface OpenedStore {
	readonly store: Store;
	/** The migration that was run; null if there was none. */
	readonly migration: object | null;
	/** A problem in one sentence; null if there is none. */
	readonly warning: string | null;
}

/**
 * Calls `run` after the commit of a change. To be used in listeners, which SQLite calls shortly before the
 * commit, but in the same turn of the event loop. Therefore, `run` is called in the next turn.
 */
export function afterCommit(run: () => void): void {
	setImmediate(run);
}

/**
 * Creates the error for a call that failed because of the database.
 * @param cause is only logged
 * @param hint is part of the response
 */
export function storageUnavailable(cause: unknown, hint?: string): ResortError {
	return Object.assign(
		new ResortError("unavailable", "Storage unavailable", {
			retryAfterSeconds: RETRY_SECONDS,
			...(hint !== undefined && { hint }),
		}),
		{ cause },
	);
}
