import {
	and,
	asc,
	desc,
	eq,
	getTableColumns,
	inArray,
	isNotNull,
	isNull,
	lt,
	lte,
	ne,
	sql,
} from "drizzle-orm";
import type { PersonalTable } from "../../core/store/personal-table.ts";
import { assignments, builder } from "../../core/store/query.ts";
import {
	countIn,
	deleteFrom,
	insertReturning,
	selectFrom,
	setIn,
	updateIn,
	upsertIn,
} from "../../core/store/table-queries.ts";
import { leases } from "../../core/store/tables.ts";
import { webhookDeliveries, webhooks } from "./tables.ts";

/** The maximum numbers of finished deliveries and of waiting deliveries that are stored for a webhook. */
const MAX_DONE = 100;
const MAX_WAITING = 10_000;

const webhook = getTableColumns(webhooks);
const isWebhook = eq(webhooks.id, sql.placeholder("id"));
const isOfAgent = eq(webhooks.agentId, sql.placeholder("agentId"));
// The state is a literal, because SQLite would not use the partial index with a parameter.
const isActive = sql`${webhooks.state} = 'active'`;

/** Returns the webhooks of an agent, newest first. */
export const webhooksOfAgent = selectFrom(webhooks, webhook, isOfAgent, { orderBy: [desc(webhooks.seq)] });

/** Returns a webhook of any agent. */
export const webhookById = selectFrom(webhooks, webhook, isWebhook);

/** Returns a webhook and locks it until the end of the transaction. */
export const lockedWebhook = selectFrom(webhooks, webhook, isWebhook, { locks: true });

/** Returns all active webhooks. */
export const activeWebhooks = selectFrom(webhooks, webhook, isActive);

/** Returns the number of active webhooks. */
export const countActive = countIn(webhooks, isActive);

const { secret, ...fields } = webhook;

/** What the tables contain about agents. */
export const personalTables: readonly PersonalTable[] = [
	{
		table: webhooks,
		name: "webhooks",
		owner: webhooks.agentId,
		fields,
		erased: [webhook.url, secret, webhook.failure, webhook.types, webhook.agentIds, webhook.network],
	},
	{
		table: webhookDeliveries,
		name: "deliveries",
		owner: inArray(
			webhookDeliveries.webhookId,
			builder.select({ id: webhooks.id }).from(webhooks).where(isOfAgent),
		),
		erased: "rows",
	},
];

/** Inserts a webhook. */
export const insertWebhook = insertReturning(webhooks, "lastDeliveryAt", "failure", "failingSince");

/** Deletes a webhook that has no deliveries. */
export const deleteWebhook = deleteFrom(webhooks, isWebhook);

/** Ends the webhooks of an agent. Returns those that had not ended before. */
export const endWebhooksOfAgent = updateIn(
	webhooks,
	{ state: "ended" },
	and(isOfAgent, ne(webhooks.state, "ended")),
	{ id: webhooks.id },
);

/** Stores the result of an attempt. */
export const setWebhookResult = setIn(
	webhooks,
	["state", "lastDeliveryAt", "failure", "failingSince", "position"],
	isWebhook,
);

/** Advances the position of a webhook. Never moves it back. */
export const movePosition = setIn(
	webhooks,
	["position"],
	and(isWebhook, sql`${webhooks.position} < ${sql.placeholder("position")}`),
);

const delivery = getTableColumns(webhookDeliveries);
const { seq, webhookId, nextAt, createdAt } = webhookDeliveries;
const isDelivery = eq(webhookDeliveries.id, sql.placeholder("id"));
const isOfWebhook = eq(webhookId, sql.placeholder("webhookId"));
const isWaiting = and(isOfWebhook, isNotNull(nextAt));
const isDone = and(isOfWebhook, isNull(nextAt));

/** Returns the newest deliveries of a webhook, newest first. */
export const deliveriesOfWebhook = selectFrom(webhookDeliveries, delivery, isOfWebhook, {
	orderBy: [desc(seq)],
	limit: MAX_DONE,
});

/** Returns a delivery. */
export const deliveryById = selectFrom(webhookDeliveries, delivery, isDelivery);

/** Among the deliveries of a webhook, returns the delivery whose next attempt is due first. */
export const firstDue = selectFrom(webhookDeliveries, delivery, isWaiting, {
	orderBy: [asc(nextAt), asc(seq)],
	limit: 1,
});

/**
 * Returns the time at which the oldest delivery that waits for a retry was created. Considers all webhooks.
 */
export const oldestWaiting = selectFrom(webhookDeliveries, { createdAt }, isNotNull(nextAt), {
	orderBy: [asc(createdAt)],
	limit: 1,
});

/** Inserts or updates a delivery after an attempt. */
export const saveDelivery = upsertIn(webhookDeliveries, "id", {
	set: assignments(webhookDeliveries, "at", "attempt", "status", "nextAt"),
	fields: delivery,
});

/** Sets the time of the next attempt. */
export const setNextAttempt = setIn(webhookDeliveries, ["nextAt"], isDelivery, delivery);

/** Abandons all deliveries of a webhook that wait for a retry. */
export const abandonAll = updateIn(webhookDeliveries, { nextAt: null }, isWaiting);

function rowAfter(count: number, condition: typeof isDone) {
	return builder
		.select({ seq })
		.from(webhookDeliveries)
		.where(condition)
		.orderBy(desc(seq))
		.limit(1)
		.offset(count);
}

/** Abandons the oldest waiting deliveries of a webhook if there are too many. */
export const abandonOldest = updateIn(
	webhookDeliveries,
	{ nextAt: null },
	and(isWaiting, lte(seq, rowAfter(MAX_WAITING, isWaiting))),
);

/** Deletes the oldest finished deliveries of a webhook if there are too many. */
export const deleteOldest = deleteFrom(
	webhookDeliveries,
	and(isDone, lt(seq, rowAfter(MAX_DONE - 1, isDone))),
);

/** Deletes all deliveries of a webhook. */
export const deleteDeliveries = deleteFrom(webhookDeliveries, isOfWebhook);

const isNamed = eq(leases.name, sql.placeholder("name"));
const lease = { holder: leases.holder, renewals: leases.renewals };

/** Returns a lease. */
export const leaseByName = selectFrom(leases, lease, isNamed);

/**
 * Inserts, renews or takes over a lease. `seen` is the lease's `renewals` as this instance last read it.
 * Returns no row if another instance has changed the lease since then.
 */
export const takeLease = upsertIn(leases, "name", {
	set: { holder: sql`excluded.holder`, renewals: sql`${leases.renewals} + 1` },
	fields: lease,
	where: eq(leases.renewals, sql.placeholder("seen")),
});

/** Deletes a lease if it belongs to this holder. */
export const deleteLease = deleteFrom(leases, and(isNamed, eq(leases.holder, sql.placeholder("holder"))));
