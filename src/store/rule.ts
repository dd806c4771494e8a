/**
 * Rules: code that asks the store with `yield*`. An engine that answers at once runs a rule to its end in one turn;
 * another one waits for its answers. One rule does for both.
 */

/** What a rule waits for; only the engine knows what is in it. */
export type Wait = object;

/** The answer of the store to one question; it is asked when a rule does `yield*`, and not before. */
export type Answer<T> = Iterable<Wait, T, unknown>;

/** Code that asks the store, and comes to a result. It may be run anew from its beginning. */
export type Rule<T> = Generator<Wait, T, unknown>;

/** Several waits at once; the engine gives their answers in a list of the same order. */
export class Waits {
	constructor(readonly each: readonly Wait[]) {}
}

/**
 * Runs rules side by side, so that an engine that lets rules wait is asked for all of them at once.
 * @returns their results, in the same order
 */
export function* together<T>(rules: readonly Rule<T>[]): Rule<T[]> {
	const steps = rules.map((rule) => rule.next());
	for (;;) {
		const waiting = steps.flatMap((step, at) => (step.done ? [] : [at]));
		if (waiting.length === 0) break;
		const answers = (yield new Waits(
			waiting.map((at) => steps[at]?.value as Wait),
		)) as readonly unknown[];
		for (const [place, at] of waiting.entries()) {
			const rule = rules[at];
			if (rule !== undefined) steps[at] = rule.next(answers[place]);
		}
	}
	return steps.map(({ value }) => value as T);
}

/** The answer of an engine that answers at once. */
class AtOnce<T> implements Answer<T>, IteratorReturnResult<T> {
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
class Given<T> implements Answer<T>, IteratorReturnResult<T> {
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
export function given<T>(value: T): Answer<T> {
	return new Given(value);
}

/** An answer that is there as soon as it is asked for. */
export function atOnce<T>(ask: () => T): Answer<T> {
	return new AtOnce(ask);
}

/**
 * Runs a rule to its end in this turn.
 * @throws what the rule throws; TypeError when it waits for anything
 */
export function finish<T>(rule: Answer<T>): T {
	const step = rule[Symbol.iterator]().next();
	if (step.done) return step.value;
	throw new TypeError("a rule waits for what this engine does not have");
}
