import type { Answer, Rule } from "../rule.ts";
import type { EngineRow, News, Statement, Turn, Value } from "../store.ts";

/** A statement that a rule has run. */
export class Asked {
	/** @param isAwaited whether the rule goes on only with its rows */
	constructor(
		readonly text: string,
		readonly parameters: readonly Value[],
		readonly isAwaited: boolean,
	) {}
}

/** News that a rule has announced. */
export class Announced {
	constructor(readonly news: News) {}
}

/** A statement of the port: a rule that asks it leaves its answer to whoever runs the rule. */
export function statementOf(text: string): Statement {
	return {
		get: (parameters, read) =>
			reading(text, parameters, ([row]) =>
				row === undefined ? undefined : read(row),
			),
		all: (parameters, read) =>
			reading(text, parameters, (rows) => rows.map(read)),
		run: (parameters) => running(new Asked(text, parameters, false)),
	};
}

/** @see Store.announce */
export function announcing(news: News): Answer<void> {
	return running(new Announced(news));
}

/** Each is kept until the end of the transaction. */
const turns: Readonly<Record<Turn, string>> = {
	agent: "select 1 from agents where id = $1 for no key update",
	room: "select pg_advisory_xact_lock(hashtextextended('room ' || $1, 0))",
	house: "select pg_advisory_xact_lock(hashtextextended('house ' || $1, 0))",
};

/** @see Store.turn */
export function turn(of: Turn, key: string): Answer<void> {
	return running(new Asked(turns[of], [key], false));
}

function* reading<T>(
	text: string,
	parameters: readonly Value[],
	read: (rows: readonly EngineRow[]) => T,
): Rule<T> {
	return read((yield new Asked(text, parameters, true)) as EngineRow[]);
}

function* running(wait: Asked | Announced): Rule<void> {
	yield wait;
}
