import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The used nonces of signed requests until they expire, also after a restart. */
export const nonces = sqliteTable(
	"nonces",
	{ nonce: text().primaryKey(), expiresAt: integer().notNull() },
	(table) => [index("nonces_by_expiry").on(table.expiresAt)],
);
