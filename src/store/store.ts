/** The port: what rules know of the place where everything is kept. Engines stand behind it. */
import type { Verdict } from "../lib/sliding-window.ts";
import type { QueryResult } from "./task.ts";

/** What can be bound to a parameter. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/** A row as an engine gives it, by the names of its columns: numbers, texts, bytes or null. */
export type EngineRow = Record<string, unknown>;

/** A prepared statement of an engine. */
export interface Statement {
	/** Runs it to its end; its first row, read, or undefined when there is none. */
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

/** What happened, for those who remember what they have read. */
export interface StoreEvent {
	/** The type of the event, or {@link EXTERNAL_CHANGE}. */
	readonly type: string;
	/** The agent that it is about; null when it is about none. */
	readonly agentId: string | null;
}

/** The news that anything may have changed: another program wrote, or a change was undone. */
export const EXTERNAL_CHANGE: StoreEvent = { type: "elsewhere", agentId: null };

/** How many changes wait, and how many commits have been made with how many changes. */
export interface StoreStatistics {
	readonly pending: number;
	readonly commits: number;
	/** Includes changes that were refused and undone. */
	readonly committedChanges: number;
}

/** A key by which calls are counted, and how many of them are admitted in a window. */
export interface CountedKey {
	readonly key: string;
	readonly limit: number;
}

/** Counts calls for all instances together, in sliding windows over their exact times. */
export interface RateLimitCounter {
	/**
	 * Judges a call by all of its keys, and counts it for each when all admit it.
	 * @param name of the window
	 * @throws ResortError `unavailable`
	 */
	admit(
		name: string,
		keys: readonly CountedKey[],
		windowMs: number,
		nowMs: number,
	): Promise<Verdict>;
	/** Takes back the newest call of each key. */
	refund(
		name: string,
		keys: readonly CountedKey[],
		windowMs: number,
		nowMs: number,
	): Promise<void>;
	/** How many keys of a window are remembered. */
	count(name: string): Promise<number>;
	/** Forgets all calls of a window. */
	clear(name: string): Promise<void>;
}

/** Something that an engine measures, named as https://prometheus.io/docs/practices/naming/ says. */
export interface EngineMetric {
	readonly kind: "counter" | "gauge";
	readonly name: string;
	readonly help: string;
	/** The name of its label; its values are the keys of what is read. */
	readonly label?: string;
	/** @throws when the database does not tell it now */
	readonly read: () => MetricValue | Promise<MetricValue>;
}

/** What a metric has: a value, or one for each value of its label. */
export type MetricValue = number | Readonly<Record<string, number>>;

/** The beginning of an outage of a database with a server of its own, and why; or its end, and how long it was. */
export type Outage =
	| { readonly isOver: false; readonly reason: string }
	| { readonly isOver: true; readonly lastedMs: number };

/** How far the ids of events go. */
export interface EventWatermarks {
	/** No event comes any more with an id up to this one. It may go back while events are being written. */
	readonly final: number;
	/** The greatest id that was ever given. */
	readonly newest: number;
}

/** An open database. */
export interface Store {
	/** Where it is, as it may be told: the whole path of its file, `:memory:`, or a URL without a password. */
	readonly path: string;
	readonly statistics: StoreStatistics;
	/**
	 * Prepares a statement.
	 * @param locks whether the rows that it reads are kept from other changes until its own has ended; it does nothing
	 * where changes do not run side by side
	 * @throws what the engine reports
	 */
	prepare(text: string, locks?: boolean): Statement;
	/**
	 * Runs a rule, or asks one question, that changes nothing.
	 * @returns what it returned; a promise of it where the engine does not answer at once
	 * @throws what it threw; ResortError `unavailable` when the storage does not answer
	 */
	read<T>(task: () => QueryResult<T>): T | Promise<T>;
	/**
	 * Runs a rule, or one question, that changes something in the next commit.
	 * @param task what it throws undoes it. It may be run twice; then only the database is as it was before the
	 * first time
	 * @returns what it returned, once it is committed
	 * @throws what it threw; ResortError `unavailable` when the storage failed
	 */
	write<T>(task: () => QueryResult<T>): Promise<T>;
	/**
	 * Like {@link write}, for what need not outlast a loss of power. Where nobody shares the database it is done when this
	 * returns, ahead of the changes that wait, so that every later read shows it.
	 */
	writeUnsynced<T>(task: () => QueryResult<T>): Promise<T>;
	/**
	 * Answers a request: what it asks of the storage fails with `unavailable` when that takes too long in all. A storage
	 * that answers at once has no such limit.
	 */
	withDeadline<T>(request: () => T | Promise<T>): T | Promise<T>;
	/**
	 * Does what may take long for the host: it is in no hurry with all that it asks of the storage, and each question and
	 * each change of it has a limit of its own, also when a request has begun it.
	 */
	withoutDeadline<T>(work: () => T): T;
	/**
	 * Takes a turn, inside a change, which no other change has until this one has ended: nothing where changes do not
	 * run side by side. A change locks the row of its agent before it takes a turn.
	 */
	lock(name: string): QueryResult<void>;
	/**
	 * Makes sure that what was overwritten or deleted is no longer in the files of the database, as far as they are its
	 * own: where a server keeps them, they are the server's.
	 * @throws ResortError `unavailable` when another program keeps it from that
	 */
	scrub(): Promise<void>;
	/** How far the ids of events go. The events are read by a later question. */
	eventWatermarks(): QueryResult<EventWatermarks>;
	/** Says what happened, inside a change: the listeners hear of it when the change has run. */
	publish(news: StoreEvent): QueryResult<void>;
	/**
	 * Tells all news from now on, before anybody reads what was changed. A listener must not throw.
	 * @param listener hears news also of a change whose commit fails
	 */
	subscribe(listener: (news: StoreEvent) => void): void;
	/**
	 * Finds out what others have committed, and tells it as news; {@link EXTERNAL_CHANGE} when that is not known. Whoever
	 * remembers what was read looks when a request has come.
	 * @returns null when it is done; else a promise that never rejects
	 */
	checkFreshness(): Promise<void> | null;
	/** What the engine measures of itself. */
	readonly metrics?: readonly EngineMetric[];
	/** Tells of outages from now on. A listener must not throw. */
	onOutage?(listener: (outage: Outage) => void): void;
	/** Whether other instances may serve the same database. */
	readonly isShared: boolean;
	/** Counts calls where instances share the database; null where calls are counted in memory. */
	readonly rateLimitCounter: RateLimitCounter | null;
	/** Whether the database answers and is where it was; asks anew each time. */
	isReadable(): boolean | Promise<boolean>;
	/** Commits what is pending, and lets go of the database. */
	close(): Promise<void>;
}

/** An open database, and what its host should know of it. */
export interface OpenedStore {
	readonly store: Store;
	/** How it was brought to a newer schema; null when it was not. */
	readonly migration: object | null;
	/** What is wrong with it, in a sentence; null when nothing is. */
	readonly warning: string | null;
}
