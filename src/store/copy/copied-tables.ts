import { CasingCache } from "drizzle-orm/casing";
import {
	getTableConfig,
	type SQLiteColumn,
	type SQLiteTable,
} from "drizzle-orm/sqlite-core";
import { sortedTables } from "../table-queries.ts";
import { leases } from "../tables.ts";

/** How many rows are read and written at a time. */
export const ROWS_AT_ONCE = 5_000;

/** The value of one column of a row. */
export type Cell = number | string | Uint8Array | null;

/** A row: its cells by the names of the columns, in the order of `columns` of the {@link CopiedTable}. */
export type Row = Readonly<Record<string, Cell>>;

/** A table as both engines have it. */
export interface CopiedTable {
	readonly name: string;
	/** The columns without those that the engine computes, with SQLite's types: `integer`, `text` or `blob`. */
	readonly columns: readonly { readonly name: string; readonly type: string }[];
	/** The columns of the primary key, by which rows are ordered. */
	readonly key: readonly string[];
	/** The column by which the engine numbers the rows; null if there is none. */
	readonly counter: string | null;
}

const casing = new CasingCache("snake_case");

/** The tables, each after those that it refers to. Leases of running instances are left out: a copy has no use for them. */
export const copiedTables: readonly CopiedTable[] = sortedTables()
	.filter((table) => table !== leases)
	.map(describe);

/** Returns names of columns or tables as a list in SQL, quoted as both engines accept them. */
export function list(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

function describe(table: SQLiteTable): CopiedTable {
	const { name, columns, primaryKeys } = getTableConfig(table);
	const keys =
		primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
	const [first] = keys;
	const isCounter = keys.length === 1 && first?.getSQLType() === "integer";
	return {
		name,
		columns: columns
			.filter(({ generated }) => generated === undefined)
			.map((column) => ({ name: nameOf(column), type: column.getSQLType() })),
		key: keys.map(nameOf),
		counter: isCounter && first !== undefined ? nameOf(first) : null,
	};
}

function nameOf(column: SQLiteColumn): string {
	return casing.getColumnCasing(column);
}
