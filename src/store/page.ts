import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./store.ts";

/**
 * Chooses the rows of a page, so that an index alone is read for it; what shows them looks up only these.
 * @param order must be repeated by the query that shows them
 * @returns a subquery of their `seq`, with the placeholders `limit` and `offset`
 */
export function pageOf(
	db: Db,
	table: SQLiteTable & { readonly seq: SQLiteColumn },
	condition: SQL | undefined,
	order: readonly SQL[],
) {
	return db
		.select({ seq: table.seq })
		.from(table)
		.where(condition)
		.orderBy(...order)
		.limit(sql.placeholder("limit"))
		.offset(sql.placeholder("offset"));
}
