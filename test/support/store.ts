import { drizzle } from "drizzle-orm/bun-sqlite";
import { atOnce, type Rule } from "../../src/store/rule.ts";
import type { SqliteStore } from "../../src/store/sqlite/store.ts";

/** Waits until all changes have been committed or refused. */
export async function drain(
	store: Pick<SqliteStore, "figures">,
): Promise<void> {
	while (store.figures.pending > 0) await Bun.sleep(1);
}

/** The query builder on a store's own connection, past its changes. */
export function dbOf({ sqlite }: Pick<SqliteStore, "sqlite">) {
	return drizzle(sqlite, { casing: "snake_case" });
}

/** A rule of plain code, which asks its own connection. */
export function rule<T>(run: () => T): () => Rule<T> {
	return function* () {
		return yield* atOnce(run);
	};
}
