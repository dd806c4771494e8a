import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The used nonces of signed requests. They are kept until they expire, even after a restart. */
export const nonces = sqliteTable(
	"nonces",
	{ nonce: text().primaryKey(), expiresAt: integer().notNull() },
	(table) => [index("nonces_by_expiry").on(table.expiresAt)],
);
