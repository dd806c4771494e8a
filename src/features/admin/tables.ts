import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The operator's actions with `resort admin` and on the host's page. They contain no texts of guests. */
export const adminActions = sqliteTable(
	"admin_actions",
	{
		seq: integer().primaryKey(),
		at: integer().notNull(),
		/** The name of the command. For `hide` and `show`, it includes the kind of text. */
		command: text().notNull(),
		/** The id of the agent that the command concerned, or of the author of the text; null if none. */
		agentId: text(),
		/** The id of the text, or the first word of the invitation, that the command concerned; else null. */
		subjectId: text(),
		systemUser: text().notNull(),
	},
	(table) => [index("admin_actions_by_agent").on(table.agentId)],
);

/** The one-time codes, sessions and confirmations of the host's page. */
export const adminTokens = sqliteTable(
	"admin_tokens",
	{
		/** The SHA-256 hash of the token together with its kind and its purpose. */
		hash: blob({ mode: "buffer" }).primaryKey(),
		expiresAt: integer().notNull(),
	},
	(table) => [index("admin_tokens_by_expiry").on(table.expiresAt)],
);

/** The statistics of complete hours, for the charts of the host's page. */
export const houseHours = sqliteTable("house_hours", {
	/** The beginning of the hour, in milliseconds since the epoch. */
	hour: integer().primaryKey(),
	mostGuests: integer().notNull(),
	checkIns: integer().notNull(),
	registrations: integer().notNull(),
	/** The size of the database after the hour; null if no instance measured it then. */
	bytes: integer(),
});
