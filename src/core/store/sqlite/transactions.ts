import type { Database, SQLQueryBindings, Statement as SqliteStatement } from "bun:sqlite";
import { codeOf } from "../../lib/error-reason.ts";
import { ResortError } from "../../lib/resort-error.ts";
import {
	type EngineRow,
	EXTERNAL_CHANGE,
	type Statement,
	type StoreEvent,
	type StoreStatistics,
	storageUnavailable,
} from "../store.ts";
import { runSync, type Task } from "../task.ts";
import { isBusy } from "./open-database.ts";
import type { OpenedFile } from "./opened-file.ts";

/** The maximum number of changes in one commit. It limits how long writes delay readers. */
const MAX_CHANGES_PER_COMMIT = 256;

/** The maximum number of turns of the event loop for which a commit waits for further changes. */
const MAX_TURNS = 16;

/**
 * The time for which a commit retries while another process holds the write lock, and the pause between
 * attempts.
 */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 2;

/** Matches the SQLite result codes of storage failures. All other codes are caused by programming errors. */
const STORAGE_FAILURE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PERM|AUTH)/;

interface PendingChange {
	readonly task: () => Task<unknown>;
	readonly resolve: (value: never) => void;
	readonly reject: (reason: unknown) => void;
}

/**
 * The transactions of an open database. Changes are written with group commit: all changes in the same turn
 * of the event loop share one `BEGIN IMMEDIATE … COMMIT`. If a turn has several changes, their commit also
 * waits for changes of the following turns. If a change throws after it has written something, the group is
 * rolled back and run again with a savepoint for each change. (Using savepoints always would be too slow.)
 * Promises settle after the commit, so acknowledged changes are on disk (`synchronous = FULL`).
 */
export class Transactions {
	readonly #rowsWritten: SqliteStatement<{ rows: number }, []>;
	readonly #dataVersion: SqliteStatement<{ data_version: number }, []>;
	#knownVersion: number | undefined;
	#checkedAtMs = 0;
	readonly #listeners: ((event: StoreEvent) => void)[] = [];
	/** The events of the change that is running. */
	#events: StoreEvent[] = [];
	#pending: PendingChange[] = [];
	#isScheduled = false;
	#commits = 0;
	#committedChanges = 0;

	/**
	 * @param file null for a database in memory
	 * @param onFailure called with a failure of the storage
	 */
	constructor(
		readonly sqlite: Database,
		private readonly file: Pick<OpenedFile, "fault"> | null = null,
		private readonly onFailure: (error: unknown) => void = () => {},
	) {
		this.#rowsWritten = sqlite.prepare("SELECT total_changes() AS rows");
		this.#dataVersion = sqlite.prepare("PRAGMA data_version");
		this.#knownVersion = this.#dataVersion.get()?.data_version;
	}

	/** @see Store.prepare */
	readonly prepare = (text: string): Statement => {
		// SQLite uses the values of parameters to plan joins and `LIMIT`, so it plans again whenever a parameter
		// is bound. This takes longer than running most queries. The plus sign hides the parameter from the
		// planner, and has no other effect.
		const prepared = this.sqlite.prepare<EngineRow, SQLQueryBindings[]>(text.replaceAll("?", "+?"));
		return {
			*get(parameters, read) {
				const row = prepared.get(...parameters);
				return row === null ? undefined : read(row);
			},
			*all(parameters, read) {
				return prepared.all(...parameters).map(read);
			},
			*run(parameters) {
				prepared.run(...parameters);
			},
		};
	};

	/**
	 * Runs the task in a transaction, so that all of its queries see the same state. SQLite then locks the file
	 * only once; a lock for each query would take longer than most queries.
	 * @see Store.read
	 */
	readonly read = <T>(task: () => Task<T>): T => {
		const { sqlite } = this;
		if (sqlite.inTransaction) return runSync(task());
		this.#run("BEGIN");
		try {
			return runSync(task());
		} finally {
			// After some failures, SQLite has already ended the transaction.
			if (sqlite.inTransaction) this.#run("COMMIT");
		}
	};

	/** Runs at once without a deadline, because queries on SQLite run synchronously. */
	readonly withDeadline = <T>(run: () => T): T => run();

	/** @see Store.write */
	readonly write = <T>(task: () => Task<T>): Promise<T> =>
		new Promise<T>((resolve, reject) => {
			this.#pending.push({ task, resolve, reject });
			this.#schedule();
		});

	/**
	 * Commits a change without a sync. SQLite syncs it with the next commit of {@link write} or the next
	 * checkpoint (https://www.sqlite.org/pragma.html#pragma_synchronous).
	 * @see Store.writeUnsynced
	 */
	readonly writeUnsynced = <T>(task: () => Task<T>): Promise<T> =>
		new Promise<T>((resolve, reject) => {
			const group = [{ task, resolve, reject }];
			try {
				this.sqlite.run("PRAGMA synchronous = NORMAL");
				this.#begin();
				this.#commit(group, true);
			} catch (error) {
				if (isBusy(error)) resolve(this.write(task));
				else this.#rejectAll(group, error);
			} finally {
				this.sqlite.run("PRAGMA synchronous = FULL");
			}
		});

	/** @see Store.publish */
	*publish(event: StoreEvent): Task<void> {
		this.#events.push(event);
	}

	/** @see Store.subscribe */
	readonly subscribe = (listener: (event: StoreEvent) => void): void => {
		this.#listeners.push(listener);
	};

	/** Checks at most once a millisecond. @see Store.checkFreshness */
	readonly checkFreshness = (): null => {
		const realMs = Date.now();
		if (realMs !== this.#checkedAtMs) {
			this.#checkedAtMs = realMs;
			this.#checkDataVersion();
		}
		return null;
	};

	/** @see Store.statistics */
	get statistics(): StoreStatistics {
		return {
			pending: this.#pending.length,
			commits: this.#commits,
			committedChanges: this.#committedChanges,
		};
	}

	/** @see Store.fault */
	get fault(): string | null {
		return this.file?.fault ?? null;
	}

	/** Waits until all pending changes have been committed or rejected. */
	async drain(): Promise<void> {
		while (this.#pending.length > 0) await Bun.sleep(1);
	}

	/**
	 * Notifies listeners if another connection has committed, which changes `PRAGMA data_version`
	 * (https://www.sqlite.org/pragma.html#pragma_data_version), or if this value cannot be read.
	 */
	#checkDataVersion(): void {
		const known = this.#knownVersion;
		try {
			this.#knownVersion = this.#dataVersion.get()?.data_version;
			if (this.#knownVersion === known) return;
		} catch {}
		this.#notify(EXTERNAL_CHANGE);
	}

	#notify(event: StoreEvent): void {
		for (const listener of this.#listeners) listener(event);
	}

	#schedule(): void {
		if (this.#isScheduled) return;
		this.#isScheduled = true;
		// The 1 is the change that is pending already. If no other change arrives in this turn of the event loop,
		// probably nobody else is writing, and the commit does not wait for further turns.
		this.#gather(1, MAX_TURNS);
	}

	/**
	 * Waits while new changes arrive in each turn of the event loop, and then commits. A commit of many changes
	 * takes hardly longer than a commit of one.
	 * @param before the number of changes that were pending one turn ago
	 * @param turns the number of further turns for which the commit may wait
	 */
	#gather(before: number, turns: number): void {
		setImmediate(() => {
			const pending = this.#pending.length;
			if (pending > before && pending < MAX_CHANGES_PER_COMMIT && turns > 0) {
				this.#gather(pending, turns - 1);
			} else {
				this.#flush(performance.now() + BUSY_TIMEOUT_MS, false);
			}
		});
	}

	/**
	 * Commits the next group. Retries later if another process holds the file's write lock, because waiting for
	 * the lock would also block reads.
	 * @param deadlineMs the time at which to give up, by `performance.now()`
	 * @param hasSavepoints whether to create a savepoint for each change
	 */
	#flush(deadlineMs: number, hasSavepoints: boolean): void {
		// All pending changes may have been committed already: if the previous group was run again, its second
		// run included changes that were added later.
		if (this.#pending.length === 0) return;
		try {
			this.#begin();
		} catch (error) {
			if (isBusy(error) && performance.now() < deadlineMs) {
				setTimeout(() => this.#flush(deadlineMs, hasSavepoints), BUSY_RETRY_MS);
				return;
			}
			// Rejects all pending changes, not only those of this commit: the others would have to wait again.
			this.#isScheduled = false;
			this.#rejectAll(this.#pending.splice(0), error);
			return;
		}
		const group = this.#pending.splice(0, MAX_CHANGES_PER_COMMIT);
		this.#isScheduled = false;
		if (this.#pending.length > 0) this.#schedule();
		this.#commit(group, hasSavepoints);
	}

	#begin(): void {
		const { fault } = this;
		if (fault !== null) throw storageUnavailable(new Error(fault));
		this.#run("BEGIN IMMEDIATE");
		// Checks for commits by other processes. The lock of this transaction prevents further ones until it
		// ends, so caches that are valid now stay valid.
		this.#checkDataVersion();
	}

	#commit(group: readonly PendingChange[], hasSavepoints: boolean): void {
		const settlers: (() => void)[] = [];
		try {
			for (const change of group) {
				const settle = this.#apply(change, hasSavepoints);
				if (settle === null) {
					this.#rollBack();
					// Runs the group again, before all later changes.
					this.#pending.unshift(...group);
					this.#isScheduled = true;
					this.#flush(performance.now() + BUSY_TIMEOUT_MS, true);
					return;
				}
				settlers.push(settle);
			}
			this.#run("COMMIT");
		} catch (error) {
			this.#rollBack();
			this.#rejectAll(group, error);
			return;
		}
		this.#commits++;
		this.#committedChanges += settlers.length;
		for (const settle of settlers) settle();
	}

	#rejectAll(group: readonly PendingChange[], error: unknown): void {
		const isFailure = isStorageFailure(error);
		if (isFailure) this.onFailure(error);
		const reason = isFailure ? storageUnavailable(error) : error;
		for (const { reject } of group) reject(reason);
	}

	/**
	 * Runs one change, and returns a function that settles its promise; null if the change must be undone and
	 * has no savepoint.
	 * @throws storage failures, which end the whole commit
	 */
	#apply({ task, resolve, reject }: PendingChange, hasSavepoint: boolean): (() => void) | null {
		const rowsBefore = this.#countRows();
		this.#events = [];
		if (hasSavepoint) this.#run("SAVEPOINT change");
		try {
			const value = runSync(task());
			if (hasSavepoint) this.#run("RELEASE change");
			// Calls listeners before the next change of the group runs, because that change may read a cache.
			for (const event of this.#events) this.#notify(event);
			return () => resolve(value as never);
		} catch (error) {
			if (isStorageFailure(error)) throw error;
			if (hasSavepoint) {
				this.#run("ROLLBACK TO change");
				this.#run("RELEASE change");
				this.#notify(EXTERNAL_CHANGE);
			} else if (this.#countRows() !== rowsBefore) return null;
			return () => reject(error);
		}
	}

	/** Returns the number of rows that this connection has written, including rows that were rolled back. */
	#countRows(): number | undefined {
		return this.#rowsWritten.get()?.rows;
	}

	/** Runs a statement. The connection keeps the prepared statement for the next call. */
	#run(text: string): void {
		this.sqlite.query(text).run();
	}

	#rollBack(): void {
		// Invalidates caches, because they may contain data that is being rolled back.
		this.#notify(EXTERNAL_CHANGE);
		// On a full disk, SQLite may already have rolled the transaction back.
		if (this.sqlite.inTransaction) this.#run("ROLLBACK");
	}
}

function isStorageFailure(error: unknown): boolean {
	return !(error instanceof ResortError) && STORAGE_FAILURE.test(codeOf(error));
}
