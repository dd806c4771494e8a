/** The port: what rules know of the place where everything is kept. Engines stand behind it. */

/** What can be bound to a parameter. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/** A prepared statement of an engine. */
export interface Statement {
	/** Runs it to its end; its first row, or null. */
	get(parameters: readonly Value[]): Record<string, unknown> | null;
	all(parameters: readonly Value[]): Record<string, unknown>[];
	run(parameters: readonly Value[]): void;
}

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

/** An open database. */
export interface Store {
	/** The whole path of its file, or `:memory:`. */
	readonly path: string;
	readonly figures: StoreFigures;
	/**
	 * Prepares a statement.
	 * @throws what the engine reports
	 */
	prepare(text: string): Statement;
	/**
	 * Runs a change in the next commit.
	 * @param run synchronous code that reads and writes; what it throws undoes it. It may be run twice; then only the
	 * database is as it was before the first time
	 * @returns what it returned, once it is committed
	 * @throws what it threw; ResortError `unavailable` when the storage failed, and then none of the commit's
	 * changes has happened
	 */
	change<T>(run: () => T): Promise<T>;
	/** Says what happened, inside a change: the listeners hear of it when the change has run. */
	announce(news: News): void;
	/**
	 * Tells all news from now on, before anybody reads what was changed. A listener must not throw.
	 * @param listener hears news also of a change whose commit fails
	 */
	listen(listener: (news: News) => void): void;
	/**
	 * Finds out whether another program has committed, and then tells {@link ELSEWHERE}. It looks once a
	 * millisecond; whoever remembers what was read calls it first.
	 */
	lookElsewhere(): void;
	/** Whether the database answers and its file is where it was; asks anew each time. */
	isReadable(): boolean;
	/** Commits what is pending, leaves all of it in the file, and gives the file's lock back. */
	close(): Promise<void>;
}
