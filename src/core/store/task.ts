/**
 * Tasks are generator functions that query the store with `yield*`. On SQLite, each query returns its result
 * immediately. On a database server, the same task waits for each result.
 */

/** A query that a task is waiting for. Only the engine knows what the object contains. */
export type PendingQuery = object;

/** The result of a query. The query runs when a task requests the result with `yield*`. */
export type QueryResult<T> = Iterable<PendingQuery, T, unknown>;

/** A task in progress. To run a task again, the engine creates a new generator. */
export type Task<T> = Generator<PendingQuery, T, unknown>;

/** Queries that run concurrently. The engine returns their results in the same order. */
export class PendingQueries {
	constructor(readonly each: readonly PendingQuery[]) {}
}

/** Runs tasks concurrently if the engine is asynchronous. Returns their results in the same order. */
export function* runAll<T>(tasks: readonly Task<T>[]): Task<T[]> {
	const steps = tasks.map((task) => task.next());
	for (;;) {
		const waiting = steps.flatMap((step, at) => (step.done ? [] : [at]));
		if (waiting.length === 0) break;
		const answers = (yield new PendingQueries(
			waiting.map((at) => steps[at]?.value as PendingQuery),
		)) as readonly unknown[];
		for (const [place, at] of waiting.entries()) {
			const task = tasks[at];
			if (task !== undefined) steps[at] = task.next(answers[place]);
		}
	}
	return steps.map(({ value }) => value as T);
}

/** Runs a task synchronously. @throws errors of the task; TypeError if the task waits for a query */
export function runSync<T>(task: QueryResult<T>): T {
	const step = task[Symbol.iterator]().next();
	if (step.done) return step.value;
	throw new TypeError("a task waits, but this engine is synchronous");
}
