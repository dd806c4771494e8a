/**
 * Tasks are generator functions that query the store with `yield*`. On SQLite, each query returns its result
 * immediately. On a database server, the same task waits for each result.
 */

/**
 * A query that a task is waiting for, of which only the engine knows what it contains; or a list of queries
 * that run concurrently.
 */
export type PendingQuery = object;

/** The result of a query. The query runs when a task requests the result with `yield*`. */
export type QueryResult<T> = Iterable<PendingQuery, T, unknown>;

/** A task in progress. To run a task again, the engine creates a new generator. */
export type Task<T> = Generator<PendingQuery, T, unknown>;

/**
 * Runs tasks, each with one query, concurrently if the engine is asynchronous. Returns their results in the
 * same order.
 */
export function* runAll<T>(tasks: readonly Task<T>[]): Task<T[]> {
	const steps = tasks.map((task) => task.next());
	if (steps.every(({ done }) => done)) return steps.map(({ value }) => value as T);
	const queries = steps.map(({ value }) => value as PendingQuery);
	const results = (yield queries) as readonly unknown[];
	return tasks.map((task, at) => task.next(results[at]).value as T);
}

/** Runs a task synchronously. @throws errors of the task; TypeError if the task waits for a query */
export function runSync<T>(task: QueryResult<T>): T {
	const step = task[Symbol.iterator]().next();
	if (step.done) return step.value;
	throw new TypeError("a task waits, but this engine is synchronous");
}
