import { messageOf } from "../../core/lib/error-reason.ts";
import type { Task } from "../../core/store/task.ts";
import type { BoundStatement } from "./batch.ts";
import { Change, commitGroup } from "./change-group.ts";
import type { Pools } from "./connection-pool.ts";
import { currentDeadline, Deadline, DeadlineExceeded } from "./deadline.ts";
import { PostgresFailure, toResortError, UnknownOutcome } from "./postgres-failure.ts";
import type { Versions } from "./versions.ts";

/** The time limit for a change outside of requests, including all attempts. */
const CHANGE_MS = 1_900;

/** The time limit for a change by `resort admin`. It is longer, because no client is waiting. */
const ADMINISTRATION_MS = 10_000;

const MAX_ATTEMPTS = 10;

/** The SQLSTATE of a transaction that was rolled back and may succeed if it is repeated. */
const CONFLICT = "40001";

const MAX_PAUSE_MS = 20;

const MAX_CHANGES = 16;

const BEGIN: BoundStatement = { text: "begin", parameters: [] };

/**
 * Limits, in milliseconds, each wait for a lock and each statement in a transaction that several changes
 * share. Otherwise one change, for example in a deadlock, would delay the other changes for longer.
 */
const LIMIT_GROUP: BoundStatement = {
	text: "select set_config('lock_timeout', '250', true), set_config('statement_timeout', '500', true)",
	parameters: [],
};

/**
 * Runs tasks in concurrent transactions. Changes by requests that arrive at about the same time form a group,
 * which shares one transaction. If it is rolled back, each of these changes runs again alone.
 */
export class Transactions {
	commits = 0;
	committedChanges = 0;
	retries = 0;
	readonly #waiting = new Set<Change>();
	#groups = 0;
	#isScheduled = false;

	/**
	 * @param maxGroups the maximum number of groups at a time; the other connections of the pool remain for
	 * changes that run alone
	 * @param versions receives the events of committed changes
	 * @param isAdministration whether the changes are made by `resort admin`
	 */
	constructor(
		private readonly pools: Pools,
		private readonly maxGroups: number,
		private readonly versions: Versions,
		private readonly isAdministration: boolean,
	) {}

	/**
	 * Runs a task in a transaction. Repeats the transaction after a conflict, and after a connection loss
	 * before COMMIT.
	 * @throws ResortError `unavailable`; errors of the task
	 */
	async run<T>(task: () => Task<T>): Promise<T> {
		const ofRequest = currentDeadline();
		const deadline = ofRequest ?? new Deadline(this.isAdministration ? ADMINISTRATION_MS : CHANGE_MS);
		// Work outside of requests runs alone, because it may take longer.
		let isAlone = ofRequest === null;
		for (let attempt = 1; ; attempt++) {
			const change = new Change(task, deadline);
			if (isAlone) void this.#commit([change], true);
			else {
				this.#waiting.add(change);
				this.#schedule();
			}
			try {
				return (await deadline.limit(change.outcome)) as T;
			} catch (error) {
				this.#waiting.delete(change);
				if (error instanceof DeadlineExceeded && change.isCommitting) {
					throw toResortError(new UnknownOutcome(error.message));
				}
				const canRetry =
					error instanceof PostgresFailure &&
					(error.isConflict || error.isConnectionLost) &&
					attempt < MAX_ATTEMPTS &&
					!deadline.isExceeded;
				if (!canRetry) throw toResortError(error);
			}
			this.retries++;
			if (isAlone) await Bun.sleep(Math.random() * MAX_PAUSE_MS);
			isAlone = true;
		}
	}

	/** At the end of this turn of the event loop, starts a group with the changes that are waiting by then. */
	#schedule(): void {
		if (this.#isScheduled || this.#groups === this.maxGroups) return;
		this.#isScheduled = true;
		setImmediate(async () => {
			this.#isScheduled = false;
			const group = this.#waiting.values().take(MAX_CHANGES).toArray();
			if (group.length === 0) return;
			for (const change of group) this.#waiting.delete(change);
			this.#groups++;
			this.#schedule();
			await this.#commit(group, false);
			this.#groups--;
			this.#schedule();
		});
	}

	async #commit(changes: readonly Change[], isAlone: boolean): Promise<void> {
		const begin = isAlone ? [BEGIN] : [BEGIN, LIMIT_GROUP];
		try {
			const isHeldUp = (processId: number) => this.pools.read.use((reader) => reader.isHeldUp(processId));
			await this.pools.write.use((session) =>
				commitGroup(changes, { begin, session, versions: this.versions, isHeldUp }),
			);
			this.commits++;
			this.committedChanges += changes.length;
			for (const change of changes) change.settle();
		} catch (error) {
			const isFinal = isAlone || error instanceof UnknownOutcome;
			// Each change of a group that was rolled back may succeed alone.
			const reason = isFinal ? error : new PostgresFailure(messageOf(error), CONFLICT);
			for (const change of changes) change.reject(reason);
		}
	}
}
