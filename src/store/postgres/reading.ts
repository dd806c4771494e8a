import {
	PendingQueries,
	type PendingQuery,
	type QueryResult,
} from "../task.ts";
import type { Connection } from "./connection.ts";
import { PostgresFailure } from "./failures.ts";
import { Asked } from "./questions.ts";

/**
 * Runs a rule that only reads, and once more on another connection when its own was lost.
 * @param connection gives a connection that is open
 * @returns its result; a promise of it when the rule asks anything
 * @throws what the rule throws, and PostgresFailure
 */
export function readWith<T>(
	task: () => QueryResult<T>,
	connection: () => Connection,
): T | Promise<T> {
	const first = begin(task, connection);
	if (!(first instanceof Promise)) return first;
	return first.catch((error) => {
		if (!(error instanceof PostgresFailure) || !error.isLost) throw error;
		return begin(task, connection);
	});
}

function begin<T>(
	task: () => QueryResult<T>,
	connection: () => Connection,
): T | Promise<T> {
	const steps = task()[Symbol.iterator]();
	const step = steps.next();
	return step.done ? step.value : goOn(steps, step.value, connection());
}

async function goOn<T>(
	steps: Iterator<PendingQuery, T, unknown>,
	first: PendingQuery,
	connection: Connection,
): Promise<T> {
	let wait = first;
	for (;;) {
		const step = steps.next(await answer(wait, connection));
		if (step.done) return step.value;
		wait = step.value;
	}
}

/** What a rule waits for. */
export function answer(
	wait: PendingQuery,
	connection: Connection,
): Promise<unknown> {
	if (wait instanceof PendingQueries) {
		return Promise.all(wait.each.map((each) => answer(each, connection)));
	}
	if (wait instanceof Asked) {
		return connection.query(wait.text, wait.parameters);
	}
	throw new TypeError("a rule that only reads announces something");
}
