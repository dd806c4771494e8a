import { count, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Fields, query, type Row, type Values } from "./query.ts";
import type { Store } from "./store.ts";
import type { Task } from "./task.ts";

/** An expression by which a list is sorted, in descending order. */
export type SortKey = SQLiteColumn | SQL | { readonly nullsLast: SQLiteColumn };

/** A table that is joined with the table of a list. */
export interface Join {
	readonly table: SQLiteTable;
	readonly on: SQL;
	/** Whether to keep rows without a match (LEFT JOIN). */
	readonly isLeft?: true;
}

/** The definition of a list. */
export interface ListDefinition {
	readonly table: SQLiteTable & { readonly seq: SQLiteColumn };
	readonly where: SQL | undefined;
	/** The sort keys, in descending order. `seq` decides the order of rows that are equal in all sort keys. */
	readonly order?: readonly SortKey[];
	/** The tables, other than `table`, that `where` refers to. */
	readonly filterJoins?: readonly Join[];
	/** The tables that only the fields refer to, and not `where`. They are joined to the selected page. */
	readonly joins?: readonly Join[];
}

/** The prepared queries of a list. */
export interface ListQueries<R> {
	/** Returns a page of at most `limit` rows after the first `offset` rows. Both are placeholders. */
	readonly rows: (store: Store) => { all(values: Values): Task<R[]> };
	/** Returns the number of rows of the whole list. */
	readonly count: (store: Store) => { get(values: Values): Task<{ readonly count: number } | undefined> };
}

/**
 * Prepares the queries of a list. A subquery selects the page from an index alone, so that a large offset
 * skips index entries instead of whole rows.
 */
export function listQueries<F extends Fields>(fields: F, definition: ListDefinition): ListQueries<Row<F>> {
	const { table, where, order: keys = [], filterJoins = [], joins = [] } = definition;
	const order = [...keys, table.seq].map((key) =>
		"nullsLast" in key
			? { value: key.nullsLast, direction: "desc nulls last" }
			: { value: key, direction: "desc" },
	);
	return {
		rows: query(fields, (builder, selection) => {
			const sortKeys = order.map(({ value }, at) => sql`${value}`.as(`sort${at}`));
			const page = joined(
				builder
					.select({
						page_seq: sql`${table.seq}`.as("page_seq"),
						...Object.fromEntries(sortKeys.map((key) => [key.fieldAlias, key])),
					})
					.from(table)
					.where(where)
					.orderBy(...order.map(({ value, direction }) => sql`${value} ${sql.raw(direction)}`))
					.limit(sql.placeholder("limit"))
					.offset(sql.placeholder("offset"))
					.$dynamic(),
				filterJoins,
			).as("page");
			return joined(
				builder
					.select(selection)
					.from(page)
					// Sorts by columns of the subquery. When sorting by columns of the table, SQLite might scan the
					// whole table in the order of an index.
					.orderBy(...order.map(({ direction }, at) => sql.raw(`sort${at} ${direction}`)))
					.$dynamic(),
				[{ table, on: eq(table.seq, sql`page_seq`) }, ...filterJoins, ...joins],
			);
		}),
		count: query({ count: sql<number>`${count()}` }, (builder, selection) =>
			joined(builder.select(selection).from(table).where(where).$dynamic(), filterJoins),
		),
	};
}

/** Adds joins to a query. */
export function joined<
	Q extends {
		innerJoin(table: SQLiteTable, on: SQL): unknown;
		leftJoin(table: SQLiteTable, on: SQL): unknown;
	},
>(dynamic: Q, joins: readonly Join[]): Q {
	for (const { table, on, isLeft } of joins) {
		if (isLeft) dynamic.leftJoin(table, on);
		else dynamic.innerJoin(table, on);
	}
	return dynamic;
}
