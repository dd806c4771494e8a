import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";

/** The length of the longest chain of references from a table: a table has more than each one that it refers to. */
export function depthOf(table: SQLiteTable): number {
	const depths = getTableConfig(table).foreignKeys.map((key) =>
		depthOf(key.reference().foreignTable),
	);
	return Math.max(0, ...depths) + 1;
}
