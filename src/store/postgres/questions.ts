import type {
	EngineRow,
	EventWatermarks,
	Statement,
	StoreEvent,
	Value,
} from "../store.ts";
import type { QueryResult, Task } from "../task.ts";
import { toPostgres } from "./text.ts";

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
	constructor(readonly news: StoreEvent) {}
}

/**
 * A statement of the port: a rule that asks it leaves its answer to whoever runs the rule.
 * @param sqlite its text as it was written for SQLite
 */
export function statementOf(sqlite: string, locks = false): Statement {
	// The key stays as it is, so that rows that refer to it may be inserted beside.
	const text = toPostgres(sqlite) + (locks ? " for no key update" : "");
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
export function announcing(news: StoreEvent): QueryResult<void> {
	return running(new Announced(news));
}

const HORIZON =
	"select event_horizon() as horizon, (select last_value from event_ids) as newest";

/** @see Store.horizon */
export function horizon(): QueryResult<EventWatermarks> {
	return reading(HORIZON, [], ([row]) => {
		const final = (row?.horizon as number) - 1;
		return { final, newest: Math.max(final, row?.newest as number) };
	});
}

const TURN = "select pg_advisory_xact_lock(hashtextextended($1, 0))";

/** @see Store.turn */
export function turn(name: string): QueryResult<void> {
	return running(new Asked(TURN, [name], false));
}

function* reading<T>(
	text: string,
	parameters: readonly Value[],
	read: (rows: readonly EngineRow[]) => T,
): Task<T> {
	return read((yield new Asked(text, parameters, true)) as EngineRow[]);
}

function* running(wait: Asked | Announced): Task<void> {
	yield wait;
}
