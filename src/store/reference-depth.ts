import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";

/** Returns the length of the longest chain of references from a table, which is greater than that of each referenced table. */
export function depthOf(table: SQLiteTable): number {
	const depths = getTableConfig(table).foreignKeys.map((key) =>
		depthOf(key.reference().foreignTable),
	);
	return Math.max(0, ...depths) + 1;
}
