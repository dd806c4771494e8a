import { and, desc, eq, getTableColumns, ne, sql } from "drizzle-orm";
import { assignments, query } from "../store/query.ts";
import {
	countIn,
	deleteFrom,
	insertReturning,
	newRow,
	selectFrom,
	setIn,
	updateIn,
} from "../store/table-queries.ts";
import { leases, webhooks } from "../store/tables.ts";

const agentId = sql.placeholder("agentId");
const all = getTableColumns(webhooks);
const byId = eq(webhooks.id, sql.placeholder("id"));

// A literal: SQLite uses a partial index only if the query contains its condition.
const isActive = sql`${webhooks.state} = 'active'`;

/** Returns the webhooks of an agent, newest first. */
export const webhooksOfAgent = selectFrom(
	webhooks,
	all,
	eq(webhooks.agentId, agentId),
	{ orderBy: [desc(webhooks.seq)] },
);

/** Returns a webhook of any agent. */
export const webhookById = selectFrom(webhooks, all, byId);

/** Returns a webhook and locks it until the end of the transaction. */
export const lockedWebhook = selectFrom(webhooks, all, byId, { locks: true });

/** Returns all active webhooks. */
export const activeWebhooks = selectFrom(webhooks, all, isActive);

/** Returns the number of active webhooks. */
export const countActive = countIn(webhooks, isActive);

/** Inserts a webhook. */
export const insertWebhook = insertReturning(
	webhooks,
	"lastDeliveryAt",
	"failure",
	"failingSince",
);

/** Deletes a webhook that has no deliveries. */
export const deleteWebhook = deleteFrom(webhooks, byId);

/** Ends the webhooks of an agent. */
export const endWebhooksOfAgent = updateIn(
	webhooks,
	{ state: "ended" },
	and(eq(webhooks.agentId, agentId), ne(webhooks.state, "ended")),
);

/** Stores the result of an attempt. */
export const setWebhookResult = setIn(
	webhooks,
	["state", "lastDeliveryAt", "failure", "failingSince", "position"],
	byId,
);

/** Moves the position forward, never back. */
export const movePosition = setIn(
	webhooks,
	["position"],
	and(byId, sql`${webhooks.position} < ${sql.placeholder("position")}`),
);

const isNamed = eq(leases.name, sql.placeholder("name"));
const leaseFields = { holder: leases.holder, renewals: leases.renewals };

/** Returns a lease. */
export const leaseByName = selectFrom(leases, leaseFields, isNamed);

/** Inserts a lease; returns no row if there is one. */
export const insertLease = query(leaseFields, (builder, fields) =>
	builder
		.insert(leases)
		.values(newRow(leases))
		.onConflictDoNothing()
		.returning(fields),
);

/** Renews a lease or takes it over; returns no row if another instance has done so meanwhile. */
export const renewLease = updateIn(
	leases,
	{
		...assignments(leases, "holder"),
		renewals: sql`${leases.renewals} + 1`,
	},
	and(isNamed, eq(leases.renewals, sql.placeholder("renewals"))),
	leaseFields,
);

/** Deletes the lease of a holder. */
export const deleteLease = deleteFrom(
	leases,
	and(isNamed, eq(leases.holder, sql.placeholder("holder"))),
);
