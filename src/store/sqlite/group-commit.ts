import type { Database, Statement } from "bun:sqlite";
import { codeOf } from "../../lib/error-reason.ts";
import { ResortError } from "../../lib/resort-error.ts";
import {
	EXTERNAL_CHANGE,
	type StoreEvent,
	type StoreStatistics,
} from "../store.ts";
import { immediate, type QueryResult, runSync } from "../task.ts";
import { storageUnavailable } from "../unavailable.ts";
import { isBusy } from "./open-database.ts";

/** The maximum number of changes in one commit, so that many writes do not delay readers. */
const MAX_CHANGES_PER_COMMIT = 256;

/** For how many turns of the event loop a commit waits at most, so that the first of many writes is answered soon. */
const MAX_TURNS = 16;

/** How long a commit waits for another process that writes to the file, and the pause between its attempts. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 2;

/** Result codes of failures of the storage. All others are errors of the program. */
const STORAGE_FAILURE =
	/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PERM|AUTH)/;

interface PendingChange {
	readonly task: () => QueryResult<unknown>;
	readonly resolve: (value: never) => void;
	readonly reject: (reason: unknown) => void;
}

/**
 * Writes with group commit. Changes of one turn of the event loop share one `BEGIN IMMEDIATE … COMMIT`; if there are
 * several, changes of the following turns join them. A change that throws after it has written something rolls back the
 * group, which then runs again with a savepoint for each change. (Savepoints in every group would be too slow.) Promises
 * settle after the commit, so acknowledged changes are on disk (`synchronous = FULL`).
 */
export class GroupCommit {
	readonly #rowsWritten: Statement<{ rows: number }, []>;
	readonly #dataVersion: Statement<{ data_version: number }, []>;
	#knownVersion: number | undefined;
	#checkedAtMs = 0;
	readonly #listeners: ((event: StoreEvent) => void)[] = [];
	/** The events of the running change. */
	#events: StoreEvent[] = [];
	#pending: PendingChange[] = [];
	#isScheduled = false;
	#commits = 0;
	#committedChanges = 0;

	/** @param requireInPlace throws if the file is no longer in its place */
	constructor(
		private readonly sqlite: Database,
		private readonly requireInPlace: () => void = () => {},
	) {
		this.#rowsWritten = sqlite.prepare("SELECT total_changes() AS rows");
		this.#dataVersion = sqlite.prepare("PRAGMA data_version");
		this.#knownVersion = this.#dataVersion.get()?.data_version;
	}

	/** @see Store.write */
	readonly write = <T>(task: () => QueryResult<T>): Promise<T> =>
		new Promise<T>((resolve, reject) => {
			this.#pending.push({ task, resolve, reject });
			this.#schedule();
		});

	/**
	 * SQLite syncs this change to disk only with the next commit of {@link write} or checkpoint
	 * (https://www.sqlite.org/pragma.html#pragma_synchronous). If another process is writing, the change becomes a pending
	 * one of {@link write}.
	 * @see Store.writeUnsynced
	 */
	readonly writeUnsynced = <T>(task: () => QueryResult<T>): Promise<T> =>
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
	readonly publish = (event: StoreEvent): QueryResult<void> =>
		immediate(() => {
			this.#events.push(event);
		});

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

	/** Waits until all pending changes have been committed or rejected. */
	async drain(): Promise<void> {
		while (this.#pending.length > 0) await Bun.sleep(1);
	}

	/**
	 * Notifies listeners of a commit of another connection, which changes `PRAGMA data_version`
	 * (https://www.sqlite.org/pragma.html#pragma_data_version). If that cannot be read, there may have been a commit.
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
		// A single change waits for no further turn: probably nobody else writes.
		this.#gather(1, MAX_TURNS);
	}

	/**
	 * Commits after a turn of the event loop without new changes: a commit of many changes costs hardly more than of one.
	 * @param before how many changes were pending a turn ago
	 * @param turns how many more turns it may wait
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
	 * Commits the next group. While another process has the file's write lock, it tries again later: if the connection
	 * itself waited, reads would wait with it.
	 * @param deadlineMs when it gives up, by `performance.now()`
	 * @param hasSavepoints whether each change gets a savepoint
	 */
	#flush(deadlineMs: number, hasSavepoints: boolean): void {
		// A group that was run again may have included all pending changes.
		if (this.#pending.length === 0) return;
		try {
			this.#begin();
		} catch (error) {
			if (isBusy(error) && performance.now() < deadlineMs) {
				setTimeout(() => this.#flush(deadlineMs, hasSavepoints), BUSY_RETRY_MS);
				return;
			}
			// All pending changes fail: each further group would wait as long again for the same lock.
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
		this.requireInPlace();
		this.#run("BEGIN IMMEDIATE");
		// No other process writes until the commit, so caches that are valid now stay valid.
		this.#checkDataVersion();
	}

	#commit(group: readonly PendingChange[], hasSavepoints: boolean): void {
		const settlers: (() => void)[] = [];
		try {
			for (const change of group) {
				const settle = this.#apply(change, hasSavepoints);
				if (settle === null) {
					this.#rollBack();
					// The group runs again before all later changes.
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
		const reason = isStorageFailure(error) ? storageUnavailable(error) : error;
		for (const { reject } of group) reject(reason);
	}

	/**
	 * Runs one change.
	 * @returns what settles its promise; null if the change must be undone and has no savepoint
	 * @throws the failure of the storage, which ends the whole commit
	 */
	#apply(
		{ task, resolve, reject }: PendingChange,
		hasSavepoint: boolean,
	): (() => void) | null {
		const rowsBefore = this.#countRows();
		this.#events = [];
		if (hasSavepoint) this.#run("SAVEPOINT change");
		try {
			const value = runSync(task());
			if (hasSavepoint) this.#run("RELEASE change");
			// The listeners are called before the next change of the group, which may read a cache.
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

	/** Returns how many rows this connection has written, including those that were undone. */
	#countRows(): number | undefined {
		return this.#rowsWritten.get()?.rows;
	}

	/** Runs a statement, which the connection keeps prepared. */
	#run(text: string): void {
		this.sqlite.query(text).run();
	}

	#rollBack(): void {
		// Caches may contain what was undone.
		this.#notify(EXTERNAL_CHANGE);
		// A full disk may have rolled the transaction back already.
		if (this.sqlite.inTransaction) this.#run("ROLLBACK");
	}
}

function isStorageFailure(error: unknown): boolean {
	return !(error instanceof ResortError) && STORAGE_FAILURE.test(codeOf(error));
}
