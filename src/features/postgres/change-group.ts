import type { StoreEvent } from "../../core/store/store.ts";
import type { PendingQuery, QueryResult } from "../../core/store/task.ts";
import type { BoundStatement, StatementResult } from "./batch.ts";
import { type Deadline, DeadlineExceeded } from "./deadline.ts";
import { PostgresFailure, UnknownOutcome } from "./postgres-failure.ts";
import type { PostgresSession } from "./postgres-session.ts";
import { addPending, PendingEvent, PendingStatement } from "./statements.ts";
import type { Versions } from "./versions.ts";

/** A change that waits for its commit. */
export class Change {
	/** Whether COMMIT has been sent. From then on, a missing response means that the outcome is unknown. */
	isCommitting = false;
	readonly #outcome = Promise.withResolvers<unknown>();
	readonly outcome = this.#outcome.promise;
	readonly resolve = this.#outcome.resolve;
	readonly reject = this.#outcome.reject;

	constructor(
		readonly task: () => QueryResult<unknown>,
		readonly deadline: Deadline,
	) {}
}

interface Transaction {
	readonly begin: readonly BoundStatement[];
	readonly session: PostgresSession;
	readonly versions: Versions;
	/** See {@link PostgresSession.commit}. */
	readonly isHeldUp: (processId: number) => Promise<boolean>;
}

/**
 * Runs changes in one transaction. In each round trip, every change sends its statements up to the next one
 * whose rows it needs. Changes that need the same lock run one after the other. A change that throws before
 * it has written anything does not affect the others.
 * @returns a function that settles the changes
 * @throws PostgresFailure, or the error of a change that had written something, if the transaction was rolled
 * back; UnknownOutcome if it may have been committed
 */
export async function commitGroup(
	changes: readonly Change[],
	{ begin, session, versions, isHeldUp }: Transaction,
): Promise<() => void> {
	const locks = new Map<string, Run>();
	const runs = changes.map((change) => new Run(change, locks));
	const settle = () => {
		for (const run of runs) run.settle();
	};
	// The rollback is not awaited. The server runs it before the next statements on this connection.
	const rollBack = () => void session.runScript("rollback").catch(() => session.destroy());
	let last: readonly BoundStatement[];
	try {
		last = await runToEnd(runs, begin, session);
	} catch (error) {
		rollBack();
		throw error;
	}
	if (runs.every((run) => run.hasFailed)) {
		// If statements remain, BEGIN is among them, so no transaction has begun.
		if (last.length === 0) rollBack();
		return settle;
	}
	const events = runs.flatMap((run) => run.events);
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
	return settle;
}

/** Runs changes until all have ended. Returns the statements that remain to be sent. */
async function runToEnd(
	runs: readonly Run[],
	begin: readonly BoundStatement[],
	session: PostgresSession,
): Promise<readonly BoundStatement[]> {
	for (let unsent = begin; ; ) {
		for (const run of runs) run.advance();
		for (const run of runs) run.requireCommittable();
		// Sorts the changes by their next locks, because groups that take locks in the same order cannot
		// deadlock.
		const ordered = runs.toSorted((a, b) => compare(a.nextLock, b.nextLock));
		const batch = [...unsent, ...ordered.flatMap((run) => run.statements)];
		if (runs.every((run) => run.hasEnded)) return batch;
		if (batch.length === 0) {
			if (runs.some((run) => !run.hasEnded && !run.isBlocked)) continue;
			throw new PostgresFailure("changes wait for each other", "40P01");
		}
		const results = await session.runBatch(batch);
		let at = unsent.length;
		for (const run of ordered) {
			const end = at + run.statements.length;
			run.receive(results.slice(at, end));
			at = end;
		}
		unsent = [];
	}
}

function compare(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}

class Run {
	events: StoreEvent[] = [];
	statements: PendingStatement[] = [];
	hasEnded = false;
	#hasWritten = false;
	#value: unknown;
	#failure: { readonly error: unknown } | null = null;
	#steps: Iterator<PendingQuery, unknown, unknown> | null = null;
	/** The step whose lock belongs to another change. */
	#blocked: IteratorYieldResult<PendingQuery> | null = null;
	#results: readonly StatementResult[] = [];
	#read: (results: readonly StatementResult[]) => unknown = () => undefined;

	/** @param locks the change that holds or held each lock of the transaction, by the name of the lock */
	constructor(
		private readonly change: Change,
		private readonly locks: Map<string, Run>,
	) {}

	get hasFailed(): boolean {
		return this.#failure !== null;
	}

	/** The name of the first lock that the next statements take; empty if they take none. */
	get nextLock(): string {
		const taking = this.statements.find(({ lockName }) => lockName !== null);
		return taking?.lockName ?? "";
	}

	/** Whether another change holds the lock that this change needs. */
	get isBlocked(): boolean {
		const pending = this.#blocked?.value;
		return pending instanceof PendingStatement && this.#isHeld(pending);
	}

	/** Runs the task until it ends, or needs the rows of a statement or a lock of another change. */
	advance(): void {
		if (this.hasEnded || this.isBlocked) return;
		try {
			this.#step();
		} catch (error) {
			this.#failure = { error };
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
		if (this.change.deadline.isExceeded) throw new DeadlineExceeded();
		if (this.#failure !== null && this.#hasWritten) throw this.#failure.error;
	}

	settle(): void {
		if (this.#failure === null) this.change.resolve(this.#value);
		else this.change.reject(this.#failure.error);
	}

	#step(): void {
		this.#steps ??= this.change.task()[Symbol.iterator]();
		let step = this.#blocked ?? this.#steps.next(this.#read(this.#results));
		this.#blocked = null;
		for (; !step.done; step = this.#steps.next()) {
			const pending = step.value;
			if (pending instanceof PendingEvent) {
				this.events.push(pending.event);
				continue;
			}
			if (pending instanceof PendingStatement) {
				if (this.#isHeld(pending)) {
					this.#blocked = step;
					return;
				}
				if (pending.lockName !== null) this.locks.set(pending.lockName, this);
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

	/** Whether another change holds the lock of a statement, or its last statements have not run yet. */
	#isHeld({ lockName }: PendingStatement): boolean {
		const holder = lockName === null ? undefined : this.locks.get(lockName);
		if (holder === undefined || holder === this) return false;
		return !holder.hasEnded || holder.statements.length > 0;
	}
}
