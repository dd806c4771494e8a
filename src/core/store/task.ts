/**
 * Tasks query the store. A single query is a task too, and a task runs other tasks with `yield*`. On SQLite,
 * each query returns its result immediately. On a database server, the same task waits for each result.
 */

/**
 * What a task waits for: a query, in a form that only the engine knows, or an array of queries that run
 * concurrently.
 */
export type PendingQuery = object;

/** A task, which runs only once. To run it again, the engine calls the function that created it. */
export type Task<T> = Generator<PendingQuery, T, unknown>;

/**
 * Runs tasks concurrently if the engine is asynchronous. Each task may run at most one query. Returns their
 * results in the same order.
 * @throws TypeError if a task waits for a second query
 */
export function* runAll<T>(tasks: readonly Task<T>[]): Task<T[]> {
	const steps = tasks.map((task) => ({ task, step: task.next() }));
	const queries = steps.flatMap(({ step }) => (step.done ? [] : [step.value]));
	const results = queries.length === 0 ? [] : [...((yield queries) as readonly unknown[])];
	return steps.map(({ task, step }) => {
		const last = step.done ? step : task.next(results.shift());
		if (last.done) return last.value;
		throw new TypeError("a task that runs concurrently has a second query");
	});
}

/** Runs a task synchronously. @throws errors of the task; TypeError if the task waits for a query */
export function runSync<T>(task: Task<T>): T {
	const step = task.next();
	if (step.done) return step.value;
	throw new TypeError("a task waits, but this engine is synchronous");
}
