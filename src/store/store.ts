/** The port: what rules know of the place where everything is kept. Engines stand behind it. */
import type { Verdict } from "../lib/sliding-window.ts";
import type { Answer, Rule } from "./rule.ts";

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
	): Answer<T | undefined>;
	all<T>(
		parameters: readonly Value[],
		read: (row: EngineRow) => T,
	): Answer<T[]>;
	run(parameters: readonly Value[]): Answer<void>;
}

/** What only one change at a time may work on, where changes run side by side. */
export type Turn =
	/** An agent and all that is its own, by the agent's id. */
	| "agent"
	/** The rooms of a type, by its name. */
	| "room"
	/** What the house does by itself. */
	| "house";

/** What happened, for those who remember what they have read. */
export interface News {
	/** The type of the event, or {@link ELSEWHERE}. */
	readonly type: string;
	/** The agent that it is about; null when it is about none. */
	readonly agentId: string | null;
}

/** The news that anything may have changed: another program wrote, or a change was undone. */
export const ELSEWHERE: News = { type: "elsewhere", agentId: null };

/** How many changes wait, and how many commits have been made with how many changes. */
export interface StoreFigures {
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
export interface Counter {
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
	giveBack(
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

/** An open database. */
export interface Store {
	/** Where it is, as it may be told: the whole path of its file, or `:memory:`. */
	readonly path: string;
	readonly figures: StoreFigures;
	/**
	 * Prepares a statement.
	 * @throws what the engine reports
	 */
	prepare(text: string): Statement;
	/**
	 * Runs a rule that changes nothing.
	 * @returns what it returned; a promise of it where the engine does not answer at once
	 * @throws what it threw; ResortError `unavailable` when the storage does not answer
	 */
	read<T>(rule: () => Rule<T>): T | Promise<T>;
	/**
	 * Runs a rule that changes something in the next commit.
	 * @param rule what it throws undoes it. It may be run twice; then only the database is as it was before the
	 * first time
	 * @returns what it returned, once it is committed
	 * @throws what it threw; ResortError `unavailable` when the storage failed
	 */
	change<T>(rule: () => Rule<T>): Promise<T>;
	/**
	 * Answers a request: what it asks of the storage fails with `unavailable` when that takes too long in all. A storage
	 * that answers at once has no such limit.
	 */
	attend<T>(request: () => T | Promise<T>): T | Promise<T>;
	/**
	 * Takes a turn, inside a change, and keeps it until the change has ended: nothing where changes do not run side by
	 * side. A change takes the turn of an agent before that of rooms.
	 */
	turn(of: Turn, key: string): Answer<void>;
	/** Says what happened, inside a change: the listeners hear of it when the change has run. */
	announce(news: News): Answer<void>;
	/**
	 * Tells all news from now on, before anybody reads what was changed. A listener must not throw.
	 * @param listener hears news also of a change whose commit fails
	 */
	listen(listener: (news: News) => void): void;
	/**
	 * Finds out what others have committed, and tells it as news; {@link ELSEWHERE} when that is not known. Whoever
	 * remembers what was read looks when a request has come.
	 * @returns null when it is done; else a promise that never rejects
	 */
	look(): Promise<void> | null;
	/** Whether other instances may serve the same database. */
	readonly isShared: boolean;
	/** Counts calls where instances share the database; null where calls are counted in memory. */
	readonly counter: Counter | null;
	/** Whether the database answers and is where it was; asks anew each time. */
	isReadable(): boolean | Promise<boolean>;
	/** Commits what is pending, and lets go of the database. */
	close(): Promise<void>;
}
