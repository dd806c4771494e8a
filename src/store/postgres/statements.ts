import type {
	EngineRow,
	EventWatermarks,
	Statement,
	StoreEvent,
	Value,
} from "../store.ts";
import {
	PendingQueries,
	type PendingQuery,
	type QueryResult,
	type Task,
} from "../task.ts";
import type { PostgresSession } from "./postgres-session.ts";

/** A statement that a task runs. */
export class PendingStatement {
	/** @param isAwaited whether the task needs the rows of the statement */
	constructor(
		readonly text: string,
		readonly parameters: readonly Value[],
		readonly isAwaited: boolean,
	) {}
}

/** An event that a task publishes. */
export class PendingEvent {
	constructor(readonly event: StoreEvent) {}
}

/**
 * Implements {@link Store.prepare}.
 * @param sqlite the SQL that Drizzle generated for SQLite
 */
export function prepare(sqlite: string, locks = false): Statement {
	// NO KEY allows other transactions to insert rows that refer to the locked one.
	const text = toPostgres(sqlite) + (locks ? " for no key update" : "");
	return {
		get: (parameters, read) =>
			awaitRows(text, parameters, ([row]) =>
				row === undefined ? undefined : read(row),
			),
		all: (parameters, read) =>
			awaitRows(text, parameters, (rows) => rows.map(read)),
		run: (parameters) =>
			yieldPending(new PendingStatement(text, parameters, false)),
	};
}

/** Implements {@link Store.publish}. */
export function publish(event: StoreEvent): QueryResult<void> {
	return yieldPending(new PendingEvent(event));
}

const WATERMARKS =
	"select event_horizon() as horizon, (select last_value from event_ids) as newest";

/** Implements {@link Store.eventWatermarks}. */
export function eventWatermarks(): QueryResult<EventWatermarks> {
	return awaitRows(WATERMARKS, [], ([row]) => {
		const final = (row?.horizon as number) - 1;
		return { final, newest: Math.max(final, row?.newest as number) };
	});
}

/** Implements {@link Store.restartEventIds}. */
export function restartEventIds(): QueryResult<void> {
	return awaitRows("select setval('event_ids', 0)", [], () => {});
}

const LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))";

/** Implements {@link Store.lock}. */
export function lock(name: string): QueryResult<void> {
	return yieldPending(new PendingStatement(LOCK, [name], false));
}

/**
 * Runs the statement, or the statements, that a read-only task is waiting for.
 * @returns the value with which the task continues
 */
export function runPending(
	pending: PendingQuery,
	session: PostgresSession,
): Promise<unknown> {
	if (pending instanceof PendingQueries) {
		return Promise.all(pending.each.map((each) => runPending(each, session)));
	}
	if (pending instanceof PendingStatement) {
		return session.run(pending.text, pending.parameters);
	}
	throw new TypeError("a read-only task publishes an event");
}

function* awaitRows<T>(
	text: string,
	parameters: readonly Value[],
	read: (rows: readonly EngineRow[]) => T,
): Task<T> {
	return read(
		(yield new PendingStatement(text, parameters, true)) as EngineRow[],
	);
}

function* yieldPending(pending: PendingStatement | PendingEvent): Task<void> {
	yield pending;
}

/** Matches quoted names, string literals and parameters. */
const TOKEN = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g;

/**
 * Translates a statement that Drizzle generated for SQLite. `?` becomes `$1` and so on. In an INSERT, `null` as the
 * first value becomes `default`: both make the database assign the number of the row.
 * @param text one statement without comments
 */
export function toPostgres(text: string): string {
	let parameters = 0;
	return text
		.replace(" values (null, ", " values (default, ")
		.replaceAll(TOKEN, (token) => (token === "?" ? `$${++parameters}` : token));
}
