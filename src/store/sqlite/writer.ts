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

/** The most changes that one commit carries, so that a flood of writes does not keep readers waiting. */
const MAX_CHANGES_PER_COMMIT = 256;

/** The most turns of the event loop for which a commit waits, so that the first of a flood is answered soon. */
const MAX_TURNS = 16;

/** How long a commit waits for another program that writes to the file, and how often it tries. */
const BUSY_DEADLINE_MS = 5_000;
const BUSY_RETRY_MS = 10;

/** Result codes that mean: the storage failed, not the program. */
const STORAGE_FAILURE =
	/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PERM|AUTH)/;

interface PendingChange {
	readonly task: () => QueryResult<unknown>;
	readonly resolve: (value: never) => void;
	readonly reject: (reason: unknown) => void;
}

/**
 * The one way to write: group commit. Changes that arrive in one turn of the event loop share one
 * `BEGIN IMMEDIATE … COMMIT`, and when there are several, so do those of the turns right after it. A change that
 * throws undoes only itself. Nearly always it has written nothing by then; otherwise the group is rolled back and
 * run again with a savepoint for each change, which would be too slow to do always. A promise settles after the
 * commit, so what is acknowledged is on disk (`synchronous = FULL`).
 */
export class Writer {
	readonly #sqlite: Database;
	readonly #requireInPlace: () => void;
	readonly #statements: Record<
		"begin" | "commit" | "rollback" | "savepoint" | "release" | "undo",
		Statement
	>;
	readonly #rowsWritten: Statement<{ rows: number }, []>;
	readonly #fileVersion: Statement<{ data_version: number }, []>;
	#knownVersion: number | undefined;
	#lookedAtMs = 0;
	readonly #listeners: ((news: StoreEvent) => void)[] = [];
	/** What the running change has announced. */
	#news: StoreEvent[] = [];
	#pending: PendingChange[] = [];
	#scheduled = false;
	#commits = 0;
	#committedChanges = 0;

	/** @param requireInPlace throws when the file is no longer in its place */
	constructor(sqlite: Database, requireInPlace: () => void = () => {}) {
		this.#sqlite = sqlite;
		this.#requireInPlace = requireInPlace;
		this.#statements = {
			begin: sqlite.prepare("BEGIN IMMEDIATE"),
			commit: sqlite.prepare("COMMIT"),
			rollback: sqlite.prepare("ROLLBACK"),
			savepoint: sqlite.prepare("SAVEPOINT change"),
			release: sqlite.prepare("RELEASE change"),
			undo: sqlite.prepare("ROLLBACK TO change"),
		};
		this.#rowsWritten = sqlite.prepare("SELECT total_changes() AS rows");
		this.#fileVersion = sqlite.prepare("PRAGMA data_version");
		this.#knownVersion = this.#fileVersion.get()?.data_version;
	}

	/** @see Store.change */
	readonly change = <T>(task: () => QueryResult<T>): Promise<T> =>
		new Promise<T>((resolve, reject) => {
			this.#pending.push({ task, resolve, reject });
			this.#schedule();
		});

	/**
	 * SQLite then syncs the log with the next change or checkpoint
	 * (https://www.sqlite.org/pragma.html#pragma_synchronous).
	 * @see Store.changeAtOnce
	 */
	readonly changeAtOnce = <T>(task: () => QueryResult<T>): Promise<T> =>
		new Promise<T>((resolve, reject) => {
			const alone = [{ task, resolve, reject }];
			try {
				this.#sqlite.run("PRAGMA synchronous = NORMAL");
				this.#begin();
				this.#commit(alone, true);
			} catch (error) {
				if (isBusy(error)) resolve(this.change(task));
				else this.#refuse(alone, error);
			} finally {
				this.#sqlite.run("PRAGMA synchronous = FULL");
			}
		});

	/** @see Store.announce */
	readonly announce = (news: StoreEvent): QueryResult<void> =>
		immediate(() => {
			this.#news.push(news);
		});

	/** @see Store.listen */
	readonly listen = (listener: (news: StoreEvent) => void): void => {
		this.#listeners.push(listener);
	};

	/** Looks once a millisecond. @see Store.look */
	readonly look = (): null => {
		const realMs = Date.now();
		if (realMs !== this.#lookedAtMs) {
			this.#lookedAtMs = realMs;
			this.#lookNow();
		}
		return null;
	};

	/** How many changes wait, and how many commits have been made with how many changes. */
	get figures(): StoreStatistics {
		return {
			pending: this.#pending.length,
			commits: this.#commits,
			committedChanges: this.#committedChanges,
		};
	}

	/** Waits until all that was asked for has been committed or refused. */
	async drain(): Promise<void> {
		while (this.#pending.length > 0) await Bun.sleep(1);
	}

	/**
	 * SQLite tells of commits of other programs by a number (https://www.sqlite.org/pragma.html#pragma_data_version);
	 * when it cannot be read, there may have been one.
	 */
	#lookNow(): void {
		const known = this.#knownVersion;
		try {
			this.#knownVersion = this.#fileVersion.get()?.data_version;
			if (this.#knownVersion === known) return;
		} catch {}
		this.#tell(EXTERNAL_CHANGE);
	}

	#tell(news: StoreEvent): void {
		for (const listener of this.#listeners) listener(news);
	}

	#schedule(): void {
		if (this.#scheduled) return;
		this.#scheduled = true;
		// A single change waits for no further turn: probably nobody else writes.
		this.#gather(1, MAX_TURNS);
	}

	/**
	 * Commits once a turn of the event loop has brought nothing more: what a commit costs hardly depends on how
	 * many share it.
	 * @param known how many changes waited a turn ago
	 * @param turns how many turns may still be waited for
	 */
	#gather(known: number, turns: number): void {
		setImmediate(() => {
			const waiting = this.#pending.length;
			if (waiting > known && waiting < MAX_CHANGES_PER_COMMIT && turns > 0) {
				this.#gather(waiting, turns - 1);
			} else {
				this.#flush(performance.now() + BUSY_DEADLINE_MS, false);
			}
		});
	}

	/**
	 * Commits the next group. While another program has the file's write lock, it tries again later: if the connection
	 * itself waited, every read would wait with it.
	 * @param deadlineMs when it gives up, by `performance.now()`
	 * @param isApart whether each change gets a savepoint
	 */
	#flush(deadlineMs: number, isApart: boolean): void {
		// A group that was run again may have taken all changes.
		if (this.#pending.length === 0) return;
		try {
			this.#begin();
		} catch (error) {
			if (isBusy(error) && performance.now() < deadlineMs) {
				setTimeout(() => this.#flush(deadlineMs, isApart), BUSY_RETRY_MS);
				return;
			}
			// All of them: each further group would wait as long again for the same.
			this.#scheduled = false;
			this.#refuse(this.#pending.splice(0), error);
			return;
		}
		this.#commit(this.#takeGroup(), isApart);
	}

	#begin(): void {
		this.#requireInPlace();
		this.#statements.begin.run();
		// From here on nobody else writes, so that what is remembered holds until the commit.
		this.#lookNow();
	}

	#takeGroup(): PendingChange[] {
		const group = this.#pending.splice(0, MAX_CHANGES_PER_COMMIT);
		this.#scheduled = false;
		if (this.#pending.length > 0) this.#schedule();
		return group;
	}

	#commit(group: readonly PendingChange[], isApart: boolean): void {
		const settle: (() => void)[] = [];
		try {
			for (const pending of group) {
				const tell = this.#apply(pending, isApart);
				if (tell === null) {
					this.#rollBack();
					this.#runApart(group);
					return;
				}
				settle.push(tell);
			}
			this.#statements.commit.run();
		} catch (error) {
			this.#rollBack();
			this.#refuse(group, error);
			return;
		}
		this.#commits++;
		this.#committedChanges += settle.length;
		for (const tell of settle) tell();
	}

	/** Runs a group that was rolled back again, before all that was asked for after it. */
	#runApart(group: readonly PendingChange[]): void {
		this.#pending.unshift(...group);
		this.#scheduled = true;
		this.#flush(performance.now() + BUSY_DEADLINE_MS, true);
	}

	#refuse(group: readonly PendingChange[], error: unknown): void {
		const reason = isStorageFailure(error) ? storageUnavailable(error) : error;
		for (const { reject } of group) reject(reason);
	}

	/**
	 * @param isApart whether it gets a savepoint
	 * @returns what tells the caller; null when the change has to be undone and has no savepoint
	 * @throws the storage's failure, which ends the whole commit
	 */
	#apply(
		{ task, resolve, reject }: PendingChange,
		isApart: boolean,
	): (() => void) | null {
		const rowsBefore = this.#countRows();
		this.#news = [];
		if (isApart) this.#statements.savepoint.run();
		try {
			const value = runSync(task());
			if (isApart) this.#statements.release.run();
			// Before the next change of the group reads what is remembered.
			for (const news of this.#news) this.#tell(news);
			return () => resolve(value as never);
		} catch (error) {
			if (isStorageFailure(error)) throw error;
			if (isApart) {
				this.#statements.undo.run();
				this.#statements.release.run();
				this.#tell(EXTERNAL_CHANGE);
			} else if (this.#countRows() !== rowsBefore) return null;
			return () => reject(error);
		}
	}

	/** How many rows this connection has written, including those that were undone. */
	#countRows(): number | undefined {
		return this.#rowsWritten.get()?.rows;
	}

	#rollBack(): void {
		// What was undone may have been read and remembered.
		this.#tell(EXTERNAL_CHANGE);
		// A full disk may have rolled the transaction back already.
		if (this.#sqlite.inTransaction) this.#statements.rollback.run();
	}
}

function isStorageFailure(error: unknown): boolean {
	return !(error instanceof ResortError) && STORAGE_FAILURE.test(codeOf(error));
}

/** Whether another program has the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
	return codeOf(error).startsWith("SQLITE_BUSY");
}
