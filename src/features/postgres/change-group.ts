import type { StoreEvent } from "../../core/store/store.ts";
import type { PendingQuery, Task } from "../../core/store/task.ts";
import type { BoundStatement, StatementResult } from "./batch.ts";
import { type Deadline, DeadlineExceeded } from "./deadline.ts";
import { PostgresFailure, UnknownOutcome } from "./postgres-failure.ts";
import type { PostgresSession } from "./postgres-session.ts";
import { addPending, PendingEvent, PendingStatement } from "./statements.ts";
import type { Versions } from "./versions.ts";

/** The change that was the last to take each lock of a transaction, by the name of the lock. */
type Locks = Map<string, Change>;

/** A task that changes the database in a transaction, which it may share with other changes. */
export class Change {
	/** Whether COMMIT has been sent. From then on, a missing response means that the outcome is unknown. */
	isCommitting = false;
	events: StoreEvent[] = [];
	statements: PendingStatement[] = [];
	hasEnded = false;
	/** The error of the task; null if it has thrown none. */
	failure: { readonly error: unknown } | null = null;
	readonly #outcome = Promise.withResolvers<unknown>();
	readonly outcome = this.#outcome.promise;
	readonly reject = this.#outcome.reject;
	#hasWritten = false;
	#value: unknown;
	#steps: Iterator<PendingQuery, unknown, unknown> | null = null;
	/** The step that waits for a lock that another change holds; null if no step waits. */
	#blocked: IteratorYieldResult<PendingQuery> | null = null;
	#results: readonly StatementResult[] = [];
	#read: (results: readonly StatementResult[]) => unknown = () => undefined;

	constructor(
		private readonly task: () => Task<unknown>,
		private readonly deadline: Deadline,
	) {}

	/** The name of the first lock that the next statements take; empty if they take none. */
	get nextLock(): string {
		const taking = this.statements.find(({ lockName }) => lockName !== null);
		return taking?.lockName ?? "";
	}

	/** Whether another change holds the lock that this change needs. */
	isBlocked(locks: Locks): boolean {
		return this.#blocked !== null && this.#isHeld(this.#blocked.value, locks);
	}

	/** Runs the task until it ends, needs rows of a statement, or needs a lock that another change holds. */
	advance(locks: Locks): void {
		if (this.hasEnded || this.isBlocked(locks)) return;
		try {
			this.#step(locks);
		} catch (error) {
			this.failure = { error };
			this.hasEnded = true;
			this.statements = [];
			this.events = [];
		}
	}

	receive(results: readonly StatementResult[]): void {
		this.statements = [];
		this.#results = results;
		this.#hasWritten ||= results.some(({ hasWritten }) => hasWritten);
	}

	/** @throws DeadlineExceeded; the error of the task if the task has written something */
	requireCommittable(): void {
		if (this.deadline.isExceeded) throw new DeadlineExceeded();
		if (this.failure !== null && this.#hasWritten) throw this.failure.error;
	}

	settle(): void {
		if (this.failure === null) this.#outcome.resolve(this.#value);
		else this.reject(this.failure.error);
	}

	#step(locks: Locks): void {
		this.#steps ??= this.task();
		let step = this.#blocked ?? this.#steps.next(this.#read(this.#results));
		this.#blocked = null;
		for (; !step.done; step = this.#steps.next()) {
			const pending = step.value;
			if (pending instanceof PendingEvent) {
				this.events.push(pending.event);
				continue;
			}
			if (this.#isHeld(pending, locks)) {
				this.#blocked = step;
				return;
			}
			if (pending instanceof PendingStatement) {
				if (pending.lockName !== null) locks.set(pending.lockName, this);
				if (!pending.isAwaited) {
					this.statements.push(pending);
					continue;
				}
			}
			this.#read = addPending(pending, this.statements);
			return;
		}
		this.#value = step.value;
		this.hasEnded = true;
	}

	/** Whether another change has a statement's lock. Changes keep locks until their last statement has run. */
	#isHeld(pending: PendingQuery, locks: Locks): boolean {
		if (!(pending instanceof PendingStatement) || pending.lockName === null) return false;
		const holder = locks.get(pending.lockName);
		if (holder === undefined || holder === this) return false;
		return !holder.hasEnded || holder.statements.length > 0;
	}
}

interface Transaction {
	readonly begin: readonly BoundStatement[];
	readonly session: PostgresSession;
	readonly versions: Versions;
	/** See {@link PostgresSession.commit}. */
	readonly isHeldUp: (processId: number) => Promise<boolean>;
}

/**
 * Runs changes in one transaction. In each round trip, every change sends its statements up to the next
 * statement whose rows the change needs. Changes that need the same lock run one after the other. A change
 * that throws before it has written anything does not affect the others. If this function does not throw, the
 * caller must settle the changes.
 * @throws PostgresFailure, or the error of a change that had written something, if the transaction was rolled
 * back; UnknownOutcome if it may have been committed
 */
export async function commitGroup(
	changes: readonly Change[],
	{ begin, session, versions, isHeldUp }: Transaction,
): Promise<void> {
	// The rollback is not awaited. The server runs it before the next statements on this connection.
	const rollBack = () => void session.runScript("rollback").catch(() => session.destroy());
	let last: readonly BoundStatement[];
	try {
		last = await runToEnd(changes, begin, session);
	} catch (error) {
		rollBack();
		throw error;
	}
	if (changes.every(({ failure }) => failure !== null)) {
		// If statements remain, BEGIN is among them, so no transaction has begun.
		if (last.length === 0) rollBack();
		return;
	}
	const events = changes.flatMap(({ events }) => events);
	const appending = events.length === 0 ? [] : [versions.append(events)];
	for (const change of changes) change.isCommitting = true;
	const sent = session.runBatch([...last, ...appending]);
	// Prevents an unhandled rejection. The promise is awaited below.
	sent.catch(() => {});
	try {
		await session.commit(isHeldUp);
	} catch (error) {
		// A lost connection also fails the statements before the COMMIT. Only the failure of the COMMIT itself
		// determines the outcome.
		if (!(error instanceof PostgresFailure)) throw error;
		if (!error.isRolledBack) throw new UnknownOutcome(error.message);
		// Throws the failure of the statement that caused the rollback, if a statement failed.
		await sent;
		throw error;
	}
	const results = await sent;
	if (events.length > 0) versions.publish(events, results.at(-1)?.rows[0]);
}

/** Runs changes until all have ended. Returns the statements that remain to be sent. */
async function runToEnd(
	changes: readonly Change[],
	begin: readonly BoundStatement[],
	session: PostgresSession,
): Promise<readonly BoundStatement[]> {
	const locks: Locks = new Map();
	for (let unsent = begin; ; ) {
		for (const change of changes) change.advance(locks);
		for (const change of changes) change.requireCommittable();
		// Sorts the changes by their next locks, because groups that take locks in the same order cannot
		// deadlock.
		const ordered = changes.toSorted(({ nextLock: a }, { nextLock: b }) => Number(a > b) - Number(a < b));
		const batch = [...unsent, ...ordered.flatMap(({ statements }) => statements)];
		if (changes.every(({ hasEnded }) => hasEnded)) return batch;
		if (batch.length === 0) {
			if (changes.some((change) => !change.hasEnded && !change.isBlocked(locks))) continue;
			throw new PostgresFailure("changes wait for each other", "40P01");
		}
		const results = await session.runBatch(batch);
		let at = unsent.length;
		for (const change of ordered) {
			const end = at + change.statements.length;
			change.receive(results.slice(at, end));
			at = end;
		}
		unsent = [];
	}
}
