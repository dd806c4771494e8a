import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agents } from "../../core/store/tables.ts";

/** The webhooks of agents, each with its position in the sequence of events. */
export const webhooks = sqliteTable(
	"webhooks",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		agentId: text()
			.notNull()
			.references(() => agents.id),
		url: text().notNull(),
		/** The types of events that the webhook receives; null for all types. */
		types: text({ mode: "json" }).$type<string[]>(),
		/** The agents whose events the webhook receives; null for all agents. */
		agentIds: text({ mode: "json" }).$type<string[]>(),
		/** The secret in clear text. A hash is not enough, because the resort signs messages with the secret. */
		secret: text().notNull(),
		state: text().$type<"active" | "ended" | "disabled">().notNull(),
		createdAt: integer().notNull(),
		lastDeliveryAt: integer(),
		/** The reason why the newest attempt failed; null if it succeeded. */
		failure: text(),
		/** The time of the first failed attempt since the last success; null if none has failed. */
		failingSince: integer(),
		/** The id of the last event that was sent at least once or skipped. */
		position: integer().notNull(),
		/** The client network from which the webhook was created; null if an earlier version created it. */
		network: text(),
	},
	(table) => [
		index("webhooks_by_agent").on(table.agentId),
		index("webhooks_active").on(table.agentId).where(sql`${table.state} = 'active'`),
	],
);

/** Deliveries to webhooks: all that wait for a retry, and the newest finished ones. */
export const webhookDeliveries = sqliteTable(
	"webhook_deliveries",
	{
		seq: integer().primaryKey(),
		/** The value of the header field `webhook-id`. */
		id: text().notNull().unique(),
		webhookId: text()
			.notNull()
			.references(() => webhooks.id),
		/** The id of the event; null for a ping. */
		eventId: integer(),
		/** The time of the first attempt. */
		createdAt: integer().notNull(),
		/** The time of the newest attempt. */
		at: integer().notNull(),
		/** The number of attempts. */
		attempt: integer().notNull(),
		/** The HTTP status of the newest response; null if there was none. */
		status: integer(),
		/** The time at which the next attempt is due; null if there will be none. */
		nextAt: integer(),
	},
	(table) => {
		const waits = sql`${table.nextAt} is not null`;
		return [
			index("webhook_deliveries_by_webhook").on(table.webhookId),
			index("webhook_deliveries_due").on(table.webhookId, table.nextAt).where(waits),
			index("webhook_deliveries_waiting").on(table.webhookId).where(waits),
			index("webhook_deliveries_done").on(table.webhookId).where(sql`${table.nextAt} is null`),
			index("webhook_deliveries_oldest").on(table.createdAt).where(waits),
		];
	},
);
