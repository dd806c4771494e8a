/**
 * Rules: code that asks the store with `yield*`. An engine that answers at once runs a rule to its end in one turn;
 * another one waits for its answers. One rule does for both.
 */

/** What a rule waits for; only the engine knows what is in it. */
export type PendingQuery = object;

/** The answer of the store to one question; it is asked when a rule does `yield*`, and not before. */
export type QueryResult<T> = Iterable<PendingQuery, T, unknown>;

/** Code that asks the store, and comes to a result. It may be run anew from its beginning. */
export type Task<T> = Generator<PendingQuery, T, unknown>;

/** Several waits at once; the engine gives their answers in a list of the same order. */
export class PendingQueries {
	constructor(readonly each: readonly PendingQuery[]) {}
}

/**
 * Runs rules side by side, so that an engine that lets rules wait is asked for all of them at once.
 * @returns their results, in the same order
 */
export function* runAll<T>(rules: readonly Task<T>[]): Task<T[]> {
	const steps = rules.map((task) => task.next());
	for (;;) {
		const waiting = steps.flatMap((step, at) => (step.done ? [] : [at]));
		if (waiting.length === 0) break;
		const answers = (yield new PendingQueries(
			waiting.map((at) => steps[at]?.value as PendingQuery),
		)) as readonly unknown[];
		for (const [place, at] of waiting.entries()) {
			const task = rules[at];
			if (task !== undefined) steps[at] = task.next(answers[place]);
		}
	}
	return steps.map(({ value }) => value as T);
}

/** The answer of an engine that answers at once. */
class ImmediateResult<T> implements QueryResult<T>, IteratorReturnResult<T> {
	readonly done = true;
	value!: T;

	constructor(readonly ask: () => T) {}

	[Symbol.iterator](): Iterator<never, T, unknown> {
		return this as never;
	}

	/** As an iterator, it is its own result: a rule asks some ten times, so that this saves an object each time. */
	next(): this {
		this.value = this.ask();
		return this;
	}
}

/** An answer that is there already: a rule is spared, which would cost three objects. */
class ResolvedResult<T> implements QueryResult<T>, IteratorReturnResult<T> {
	readonly done = true;

	constructor(readonly value: T) {}

	[Symbol.iterator](): Iterator<never, T, unknown> {
		return this as never;
	}

	next(): this {
		return this;
	}
}

/** An answer that is there already. */
export function resolved<T>(value: T): QueryResult<T> {
	return new ResolvedResult(value);
}

/** An answer that is there as soon as it is asked for. */
export function immediate<T>(ask: () => T): QueryResult<T> {
	return new ImmediateResult(ask);
}

/**
 * Runs a rule to its end in this turn.
 * @throws what the rule throws; TypeError when it waits for anything
 */
export function runSync<T>(task: QueryResult<T>): T {
	const step = task[Symbol.iterator]().next();
	if (step.done) return step.value;
	throw new TypeError("a rule waits for what this engine does not have");
}
