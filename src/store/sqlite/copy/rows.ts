import type { Database } from "bun:sqlite";
import { type CopiedTable, list } from "../../copy/copied-tables.ts";
import { ROWS_AT_ONCE, type Row } from "../../copy/place.ts";
import { readCell, readRows } from "../file/read.ts";

/**
 * Reads all rows of a table in the order of its primary key, some at a time; those who read a file that others may
 * write begin a transaction before.
 */
export function* rowsOf(
	sqlite: Database,
	{ name, columns, key }: CopiedTable,
): Generator<readonly Row[]> {
	const select = `SELECT ${list(columns.map((column) => column.name))} FROM "${name}"`;
	const order = `ORDER BY ${list(key)} LIMIT ${ROWS_AT_ONCE}`;
	const behind = `WHERE (${list(key)}) > (${key.map(() => "?").join()})`;
	let rows = readRows<Row>(sqlite, `${select} ${order}`);
	for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
		yield rows;
		const end = last;
		rows = readRows<Row>(
			sqlite,
			`${select} ${behind} ${order}`,
			key.map((part) => end[part] ?? null),
		);
	}
}

/** The greatest id that an event has ever got; SQLite keeps it for AUTOINCREMENT. */
export function lastEventIdOf(sqlite: Database): number {
	const text = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
	return Number(readCell(sqlite, text) ?? 0);
}
