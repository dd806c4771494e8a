import { type Answer, type Wait, Waits } from "../rule.ts";
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
	rule: () => Answer<T>,
	connection: () => Connection,
): T | Promise<T> {
	const first = begin(rule, connection);
	if (!(first instanceof Promise)) return first;
	return first.catch((error) => {
		if (!(error instanceof PostgresFailure) || !error.isLost) throw error;
		return begin(rule, connection);
	});
}

function begin<T>(
	rule: () => Answer<T>,
	connection: () => Connection,
): T | Promise<T> {
	const steps = rule()[Symbol.iterator]();
	const step = steps.next();
	return step.done ? step.value : goOn(steps, step.value, connection());
}

async function goOn<T>(
	steps: Iterator<Wait, T, unknown>,
	first: Wait,
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
export function answer(wait: Wait, connection: Connection): Promise<unknown> {
	if (wait instanceof Waits) {
		return Promise.all(wait.each.map((each) => answer(each, connection)));
	}
	if (wait instanceof Asked) {
		return connection.query(wait.text, wait.parameters);
	}
	throw new TypeError("a rule that only reads announces something");
}
