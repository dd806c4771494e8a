import type { StoreEvent } from "../store.ts";
import type { QueryResult } from "../task.ts";
import type { Pools } from "./connection-pool.ts";
import { currentDeadline, Deadline, DeadlineExceeded } from "./deadline.ts";
import {
	PostgresFailure,
	toResortError,
	UnknownOutcome,
} from "./postgres-failure.ts";
import type { PostgresSession } from "./postgres-session.ts";
import { PendingEvent, PendingStatement, runPending } from "./statements.ts";
import type { Versions } from "./versions.ts";

/** The time limit for a change outside of requests, including all attempts. */
const CHANGE_MS = 1_900;

/** The time limit for a change by `resort admin`. It is longer, because no client is waiting. */
const ADMINISTRATION_MS = 10_000;

const MAX_ATTEMPTS = 10;

/** The maximum pause before the next attempt. */
const MAX_PAUSE_MS = 20;

/** Runs tasks in concurrent transactions. */
export class Transactions {
	commits = 0;
	/** The number of repeated attempts. */
	retries = 0;

	/** @param versions receives the events of committed changes */
	constructor(
		private readonly pools: Pools,
		private readonly versions: Versions,
		private readonly isAdministration: boolean,
	) {}

	/**
	 * Runs a task in a transaction. Repeats the transaction after a conflict, and after a connection loss before COMMIT.
	 * @throws ResortError `unavailable`; errors of the task
	 */
	async run<T>(task: () => QueryResult<T>): Promise<T> {
		const { isAdministration } = this;
		const deadline =
			currentDeadline() ??
			new Deadline(isAdministration ? ADMINISTRATION_MS : CHANGE_MS);
		for (let attempt = 1; ; attempt++) {
			const progress = { isCommitting: false };
			const change = this.pools.write.use((session) =>
				this.#transact(task, session, deadline, progress),
			);
			try {
				return await deadline.limit(change);
			} catch (error) {
				if (error instanceof DeadlineExceeded && progress.isCommitting) {
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
			await Bun.sleep(Math.random() * MAX_PAUSE_MS);
		}
	}

	/**
	 * Runs a task in one transaction. A statement whose rows the task does not need is sent together with the next
	 * statement.
	 * @throws PostgresFailure if the transaction was not committed; UnknownOutcome if it may have been committed; errors
	 * of the task
	 */
	async #transact<T>(
		task: () => QueryResult<T>,
		session: PostgresSession,
		deadline: Deadline,
		progress: { isCommitting: boolean },
	): Promise<T> {
		const sent: Promise<unknown>[] = [];
		const send = <R>(result: Promise<R>): Promise<R> => {
			// Prevents an unhandled rejection. The promise is awaited below.
			result.catch(() => {});
			sent.push(result);
			return result;
		};
		const events: StoreEvent[] = [];
		let value: T;
		try {
			const steps = task()[Symbol.iterator]();
			send(session.runScript("begin"));
			let step = steps.next();
			while (!step.done) {
				if (deadline.isExceeded) throw new DeadlineExceeded();
				const pending = step.value;
				if (pending instanceof PendingEvent) {
					events.push(pending.event);
					step = steps.next();
				} else if (pending instanceof PendingStatement && !pending.isAwaited) {
					send(session.run(pending.text, pending.parameters));
					step = steps.next();
				} else {
					step = steps.next(await send(runPending(pending, session)));
				}
			}
			value = step.value;
			if (deadline.isExceeded) throw new DeadlineExceeded();
		} catch (error) {
			// The rollback is not awaited. The server runs it before the next statements on this connection.
			session.runScript("rollback").catch(() => session.destroy());
			// Throws the server's first failure, which explains the later ones.
			await Promise.all(sent);
			throw error;
		}
		const appending =
			events.length > 0 ? send(this.versions.append(session, events)) : null;
		progress.isCommitting = true;
		try {
			await session.commit((processId) =>
				this.pools.read.use((reader) => reader.isHeldUp(processId)),
			);
		} catch (error) {
			// A lost connection also fails the statements before the COMMIT. Only the failure of the COMMIT itself determines
			// the outcome.
			if (!(error instanceof PostgresFailure)) throw error;
			if (!error.isRolledBack) throw new UnknownOutcome(error.message);
			await Promise.all(sent);
			throw error;
		}
		this.commits++;
		const publish = await appending;
		publish?.();
		return value;
	}
}
