import { CasingCache } from "drizzle-orm/casing";
import {
	getTableConfig,
	type SQLiteColumn,
	type SQLiteTable,
} from "drizzle-orm/sqlite-core";
import { depthOf } from "../references.ts";
import * as tables from "../tables.ts";

/** What the cells of a column hold, when they are not null. */
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
	/** Columns that the engine makes of others by itself. */
	readonly generated: readonly string[];
	/** The columns of the primary key, which give the rows their order. */
	readonly key: readonly string[];
	/** The column that counts the rows by itself when it is left out; null where there is none. */
	readonly counter: string | null;
}

/** The kinds of SQLite's types. A type that is not among them is generated, or cannot be copied yet. */
const kinds: Readonly<Record<string, Kind>> = {
	integer: "integer",
	text: "text",
	blob: "bytes",
};

const casing = new CasingCache("snake_case");

/** What instances that serve tell each other: it means nothing in a copy. */
const ofInstances: readonly SQLiteTable[] = [tables.leases];

/** Every table that holds something of a resort; one that refers to others comes after them. */
export const copiedTables: readonly CopiedTable[] = Object.values(tables)
	.filter((table) => !ofInstances.includes(table))
	.toSorted((a, b) => depthOf(a) - depthOf(b))
	.map(describe);

/** Names of columns or tables as a statement of either engine lists them. */
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
