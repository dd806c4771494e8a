import type { EngineRow, EventWatermarks, Statement, StoreEvent, Value } from "../../core/store/store.ts";
import type { PendingQuery, Task } from "../../core/store/task.ts";
import type { StatementResult } from "./batch.ts";
import type { PostgresSession } from "./postgres-session.ts";

/** A statement that a task runs. */
export class PendingStatement {
	/**
	 * @param isAwaited whether the task needs the rows of the statement
	 * @param lockName the name of the lock that the statement takes; null if it takes none
	 */
	constructor(
		readonly text: string,
		readonly parameters: readonly Value[],
		readonly isAwaited: boolean,
		readonly lockName: string | null = null,
	) {}
}

/** An event that a task publishes. */
export class PendingEvent {
	constructor(readonly event: StoreEvent) {}
}

/** Implements {@link Store.prepare}, with the SQL that Drizzle generated for SQLite. */
export function prepare(sqlite: string, locks = false): Statement {
	// `no key` allows other transactions to insert rows that refer to the locked row.
	const text = toPostgres(sqlite) + (locks ? " for no key update" : "");
	// If a query locks a row, its first parameter identifies the row, and serves as the name of the lock.
	const select = (parameters: readonly Value[]) =>
		new PendingStatement(text, parameters, true, locks ? String(parameters[0]) : null);
	return {
		get: (parameters, read) =>
			awaitRows(select(parameters), ([row]) => (row === undefined ? undefined : read(row))),
		all: (parameters, read) => awaitRows(select(parameters), (rows) => rows.map(read)),
		run: (parameters) => yieldPending(new PendingStatement(text, parameters, false)),
	};
}

/** Implements {@link Store.publish}. */
export function publish(event: StoreEvent): Task<void> {
	return yieldPending(new PendingEvent(event));
}

const WATERMARKS = "select event_horizon() as horizon, (select last_value from event_ids) as newest";

/** Implements {@link Store.eventWatermarks}. */
export function eventWatermarks(): Task<EventWatermarks> {
	const statement = new PendingStatement(WATERMARKS, [], true);
	return awaitRows(statement, ([row]) => {
		const final = (row?.horizon as number) - 1;
		return { final, newest: Math.max(final, row?.newest as number) };
	});
}

/** Implements {@link Store.restartEventIds}. */
export function restartEventIds(): Task<void> {
	return yieldPending(new PendingStatement("select setval('event_ids', 0)", [], false));
}

const LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))";

/** Implements {@link Store.lock}. */
export function lock(name: string): Task<void> {
	return yieldPending(new PendingStatement(LOCK, [name], false, name));
}

/**
 * Adds to a batch the statements that a task is waiting for. The returned function converts the results of
 * the batch to the value with which the task continues.
 */
export function addPending(
	pending: PendingQuery,
	batch: PendingStatement[],
): (results: readonly StatementResult[]) => unknown {
	if (Array.isArray(pending)) {
		const reads = pending.map((each) => addPending(each, batch));
		return (results) => reads.map((read) => read(results));
	}
	if (pending instanceof PendingStatement) {
		const at = batch.push(pending) - 1;
		return (results) => results[at]?.rows;
	}
	throw new TypeError("a task waits for an event");
}

/**
 * Runs the statements that a read-only task is waiting for. Returns the value with which the task continues.
 */
export async function runPending(pending: PendingQuery, session: PostgresSession): Promise<unknown> {
	const batch: PendingStatement[] = [];
	const read = addPending(pending, batch);
	return read(await session.runBatch(batch));
}

function* awaitRows<T>(statement: PendingStatement, read: (rows: readonly EngineRow[]) => T): Task<T> {
	return read((yield statement) as EngineRow[]);
}

function* yieldPending(pending: PendingStatement | PendingEvent): Task<void> {
	yield pending;
}

/** Matches quoted names, string literals and parameters. */
const TOKEN = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g;

/**
 * Translates a statement that Drizzle generated for SQLite. The statement must not contain comments. Replaces
 * `?` with `$1` and so on. Replaces `null` as the first value of an INSERT with `default`, because SQLite
 * assigns the next number to the row for `null`, and PostgreSQL for `default`.
 */
export function toPostgres(text: string): string {
	let parameters = 0;
	return text
		.replace(" values (null, ", " values (default, ")
		.replaceAll(TOKEN, (token) => (token === "?" ? `$${++parameters}` : token));
}
