import { and, count, desc, eq, getTableColumns, ne, sql } from "drizzle-orm";
import { assignments, placeholders, query } from "../store/query.ts";
import { leases, webhooks } from "../store/tables.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");
const all = getTableColumns(webhooks);

// A literal: SQLite uses a partial index only if the query contains its condition.
const isActive = sql`${webhooks.state} = 'active'`;

/** Returns the webhooks of an agent, newest first. */
export const webhooksOfAgent = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhooks)
		.where(eq(webhooks.agentId, agentId))
		.orderBy(desc(webhooks.seq)),
);

/** Returns a webhook of any agent. */
export const webhookById = query(all, (builder, fields) =>
	builder.select(fields).from(webhooks).where(eq(webhooks.id, id)),
);

/** Returns a webhook and locks it until the end of the transaction. */
export const lockedWebhook = query(
	all,
	(builder, fields) =>
		builder.select(fields).from(webhooks).where(eq(webhooks.id, id)),
	true,
);

/** Returns all active webhooks. */
export const activeWebhooks = query(all, (builder, fields) =>
	builder.select(fields).from(webhooks).where(isActive),
);

/** Returns the number of active webhooks. */
export const countActive = query(
	{ count: sql<number>`${count()}` },
	(builder, fields) => builder.select(fields).from(webhooks).where(isActive),
);

/** Inserts a webhook. */
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

/** Deletes a webhook that has no deliveries. */
export const deleteWebhook = query({}, (builder) =>
	builder.delete(webhooks).where(eq(webhooks.id, id)),
);

/** Ends the webhooks of an agent. */
export const endWebhooksOfAgent = query({}, (builder) =>
	builder
		.update(webhooks)
		.set({ state: "ended" })
		.where(and(eq(webhooks.agentId, agentId), ne(webhooks.state, "ended"))),
);

/** Stores the result of an attempt. */
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

/** Moves the position forward, never back. */
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

const isNamed = eq(leases.name, sql.placeholder("name"));
const leaseFields = { holder: leases.holder, renewals: leases.renewals };

/** Returns a lease. */
export const leaseByName = query(leaseFields, (builder, fields) =>
	builder.select(fields).from(leases).where(isNamed),
);

/** Inserts a lease; returns no row if there is one. */
export const insertLease = query(leaseFields, (builder, fields) =>
	builder
		.insert(leases)
		.values(placeholders("name", "holder", "renewals"))
		.onConflictDoNothing()
		.returning(fields),
);

/** Renews a lease or takes it over; returns no row if another instance has done so meanwhile. */
export const renewLease = query(leaseFields, (builder, fields) =>
	builder
		.update(leases)
		.set({
			...assignments(leases, "holder"),
			renewals: sql`${leases.renewals} + 1`,
		})
		.where(and(isNamed, eq(leases.renewals, sql.placeholder("renewals"))))
		.returning(fields),
);

/** Deletes the lease of a holder. */
export const deleteLease = query({}, (builder) =>
	builder
		.delete(leases)
		.where(and(isNamed, eq(leases.holder, sql.placeholder("holder")))),
);
