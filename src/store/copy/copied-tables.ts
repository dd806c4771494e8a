import { CasingCache } from "drizzle-orm/casing";
import {
	getTableConfig,
	type SQLiteColumn,
	type SQLiteTable,
} from "drizzle-orm/sqlite-core";
import { depthOf } from "../reference-depth.ts";
import * as tables from "../tables.ts";

/** The values of a column, apart from null. */
export type Kind = "integer" | "text" | "bytes";

/** A column whose values are copied. */
export interface CopiedColumn {
	readonly name: string;
	readonly kind: Kind;
}

/** A table as both engines have it. */
export interface CopiedTable {
	readonly name: string;
	readonly columns: readonly CopiedColumn[];
	/** Columns that the engine computes. */
	readonly generated: readonly string[];
	/** The columns of the primary key, by which rows are ordered. */
	readonly key: readonly string[];
	/** The column that numbers the rows by itself; null if there is none. */
	readonly counter: string | null;
}

/** The kinds of SQLite's types. A column of another type is generated, or cannot be copied yet. */
const kinds: Readonly<Record<string, Kind>> = {
	integer: "integer",
	text: "text",
	blob: "bytes",
};

const casing = new CasingCache("snake_case");

/** Tables of running instances, which mean nothing in a copy. */
const ofInstances: readonly SQLiteTable[] = [tables.leases];

/** Every other table. One that refers to others comes after them. */
export const copiedTables: readonly CopiedTable[] = Object.values(tables)
	.filter((table) => !ofInstances.includes(table))
	.toSorted((a, b) => depthOf(a) - depthOf(b))
	.map(describe);

/** Lists names of columns or tables, as either engine writes them in a statement. */
export function list(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

function describe(table: SQLiteTable): CopiedTable {
	const { name, columns, primaryKeys } = getTableConfig(table);
	const isGenerated = ({ generated }: SQLiteColumn) => generated !== undefined;
	const keys =
		primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
	const [first] = keys;
	const isCounter = keys.length === 1 && first?.getSQLType() === "integer";
	return {
		name,
		columns: columns
			.filter((column) => !isGenerated(column))
			.map((column) => ({ name: nameOf(column), kind: kindOf(column) })),
		generated: columns.filter(isGenerated).map(nameOf),
		key: keys.map(nameOf),
		counter: isCounter && first !== undefined ? nameOf(first) : null,
	};
}

function nameOf(column: SQLiteColumn): string {
	return casing.getColumnCasing(column);
}

function kindOf(column: SQLiteColumn): Kind {
	const kind = kinds[column.getSQLType()];
	if (kind !== undefined) return kind;
	throw new TypeError(`column ${nameOf(column)} cannot be copied`);
}
