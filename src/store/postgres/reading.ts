import { type Rule, type Wait, Waits } from "../rule.ts";
import type { Connection } from "./connection.ts";
import { PostgresFailure } from "./failures.ts";
import { Asked } from "./questions.ts";

/** How often a rule that only reads is begun anew after its connection was lost. */
const ATTEMPTS = 2;

/**
 * Runs a rule that only reads.
 * @param connection gives a connection that is open
 * @returns its result; a promise of it when the rule asks anything
 * @throws what the rule throws, and PostgresFailure
 */
export function readWith<T>(
	rule: () => Rule<T>,
	connection: () => Connection,
): T | Promise<T> {
	const running = rule();
	const step = running.next();
	if (step.done) return step.value;
	return goOn(running, step.value, connection()).catch((error) =>
		again(rule, connection, error, 1),
	);
}

async function again<T>(
	rule: () => Rule<T>,
	connection: () => Connection,
	error: unknown,
	attempt: number,
): Promise<T> {
	const isLost = error instanceof PostgresFailure && error.state === "";
	if (!isLost || attempt >= ATTEMPTS) throw error;
	const running = rule();
	const step = running.next();
	if (step.done) return step.value;
	return goOn(running, step.value, connection()).catch((next) =>
		again(rule, connection, next, attempt + 1),
	);
}

async function goOn<T>(
	rule: Rule<T>,
	first: Wait,
	connection: Connection,
): Promise<T> {
	let wait = first;
	for (;;) {
		const step = rule.next(await answer(wait, connection));
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
