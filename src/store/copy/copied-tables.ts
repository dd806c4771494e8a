import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { sortedTables } from "../table-queries.ts";
import { leases } from "../tables.ts";

/** The number of rows that are read and written at a time. */
export const ROWS_AT_ONCE = 5_000;

/** The value of one column of a row. */
export type Cell = number | string | Uint8Array | null;

/** A row: its cells by column name, in the order of `columns` in {@link CopiedTable}. */
export type Row = Readonly<Record<string, Cell>>;

/** A table that both engines have. */
export interface CopiedTable {
	readonly name: string;
	/**
	 * The columns with their SQLite types (`integer`, `text` or `blob`). Columns computed by the engine are
	 * omitted.
	 */
	readonly columns: readonly { readonly name: string; readonly type: string }[];
	/** The columns of the primary key. Rows are read in the order of this key. */
	readonly key: readonly string[];
	/** The column in which the engine numbers the rows, such as `seq`; null if there is none. */
	readonly counter: string | null;
}

const casing = new CasingCache("snake_case");

/**
 * The tables to copy, each one after the tables that it refers to. Leases are not copied, because the
 * instances that hold them do not serve the copy.
 */
export const copiedTables: readonly CopiedTable[] = sortedTables()
	.filter((table) => table !== leases)
	.map(describe);

/** Returns names of columns or tables as a list in SQL, quoted for both engines. */
export function list(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

function describe(table: SQLiteTable): CopiedTable {
	const { name, columns, primaryKeys } = getTableConfig(table);
	const keys = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
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
