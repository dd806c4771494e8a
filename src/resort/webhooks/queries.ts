import { and, count, desc, eq, getTableColumns, ne, sql } from "drizzle-orm";
import { assignments, placeholders, query } from "../../store/query.ts";
import { webhooks } from "../../store/tables.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");
const all = getTableColumns(webhooks);

// Written out: an index of some rows serves only a question that says which.
const isActive = sql`${webhooks.state} = 'active'`;

const newest = desc(webhooks.seq);

/** The webhooks of an agent, newest first. */
export const webhooksOfAgent = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhooks)
		.where(eq(webhooks.agentId, agentId))
		.orderBy(newest),
);

/** A webhook, whoever asks. */
export const webhookById = query(all, (builder, fields) =>
	builder.select(fields).from(webhooks).where(eq(webhooks.id, id)),
);

/** A webhook, kept from other changes until the end of this one. */
export const lockedWebhook = query(
	all,
	(builder, fields) =>
		builder.select(fields).from(webhooks).where(eq(webhooks.id, id)),
	true,
);

/** All that are active. */
export const activeWebhooks = query(all, (builder, fields) =>
	builder.select(fields).from(webhooks).where(isActive),
);

/** How many are active. */
export const countActive = query(
	{ count: sql<number>`${count()}` },
	(builder, fields) => builder.select(fields).from(webhooks).where(isActive),
);

/** Stores a webhook. */
export const insertWebhook = query(all, (builder, fields) =>
	builder
		.insert(webhooks)
		.values(
			placeholders(
				"id",
				"agentId",
				"url",
				"types",
				"agentIds",
				"secret",
				"state",
				"createdAt",
				"position",
			),
		)
		.returning(fields),
);

/** Forgets a webhook whose deliveries are forgotten. */
export const deleteWebhook = query({}, (builder) =>
	builder.delete(webhooks).where(eq(webhooks.id, id)),
);

/** Ends the webhooks of an agent. */
export const endWebhooksOf = query({}, (builder) =>
	builder
		.update(webhooks)
		.set({ state: "ended" })
		.where(and(eq(webhooks.agentId, agentId), ne(webhooks.state, "ended"))),
);

/** Writes down what came of an attempt. */
export const setWebhookResult = query({}, (builder) =>
	builder
		.update(webhooks)
		.set(
			assignments(
				webhooks,
				"state",
				"lastDeliveryAt",
				"failure",
				"failingSince",
				"position",
			),
		)
		.where(eq(webhooks.id, id)),
);

/** Moves the position on, never back. */
export const movePosition = query({}, (builder) =>
	builder
		.update(webhooks)
		.set(assignments(webhooks, "position"))
		.where(
			and(
				eq(webhooks.id, id),
				sql`${webhooks.position} < ${sql.placeholder("position")}`,
			),
		),
);
