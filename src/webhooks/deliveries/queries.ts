import {
	and,
	asc,
	desc,
	eq,
	getTableColumns,
	isNotNull,
	isNull,
	lt,
	lte,
	sql,
} from "drizzle-orm";
import { assignments, builder, query } from "../../store/query.ts";
import {
	deleteFrom,
	newRow,
	selectFrom,
	setIn,
	updateIn,
} from "../../store/table-queries.ts";
import { webhookDeliveries } from "../../store/tables.ts";

/** How many deliveries of a webhook are kept when they are done, and how many may wait. */
const MAX_DONE = 100;
const MAX_WAITING = 10_000;

const all = getTableColumns(webhookDeliveries);
const { seq, id, webhookId, nextAt } = webhookDeliveries;
const byId = eq(id, sql.placeholder("id"));
const isOfWebhook = eq(webhookId, sql.placeholder("webhookId"));
const isWaiting = and(isOfWebhook, isNotNull(nextAt));
const isDone = and(isOfWebhook, isNull(nextAt));

/** Returns the newest deliveries of a webhook, newest first. */
export const deliveriesOfWebhook = selectFrom(
	webhookDeliveries,
	all,
	isOfWebhook,
	{ orderBy: [desc(seq)], limit: MAX_DONE },
);

/** Returns a delivery. */
export const deliveryById = selectFrom(webhookDeliveries, all, byId);

/** Returns the delivery of a webhook that is due first. */
export const firstDue = selectFrom(webhookDeliveries, all, isWaiting, {
	orderBy: [asc(nextAt), asc(seq)],
	limit: 1,
});

/** Returns the time of the first attempt of the oldest delivery that waits for another one. */
export const oldestWaiting = selectFrom(
	webhookDeliveries,
	{ createdAt: webhookDeliveries.createdAt },
	isNotNull(nextAt),
	{ orderBy: [asc(webhookDeliveries.createdAt)], limit: 1 },
);

/** Stores the newest attempt of a delivery. */
export const saveDelivery = query(all, (builder, fields) =>
	builder
		.insert(webhookDeliveries)
		.values(newRow(webhookDeliveries))
		.onConflictDoUpdate({
			target: sql.raw('"id"'),
			set: assignments(webhookDeliveries, "at", "attempt", "status", "nextAt"),
		})
		.returning(fields),
);

/** Sets the time of the next attempt. */
export const setNextAttempt = setIn(webhookDeliveries, ["nextAt"], byId, all);

/** Abandons all deliveries of a webhook that wait for another attempt. */
export const abandonAll = updateIn(
	webhookDeliveries,
	{ nextAt: null },
	isWaiting,
);

/** Selects the row that follows the newest `count` rows. */
function rowAfter(count: number, condition: typeof isDone) {
	return builder
		.select({ seq })
		.from(webhookDeliveries)
		.where(condition)
		.orderBy(desc(seq))
		.limit(1)
		.offset(count);
}

/** Abandons the oldest deliveries of a webhook when too many wait. */
export const abandonOldest = updateIn(
	webhookDeliveries,
	{ nextAt: null },
	and(isWaiting, lte(seq, rowAfter(MAX_WAITING, isWaiting))),
);

/** Deletes the oldest deliveries of a webhook that are done. */
export const deleteOldest = deleteFrom(
	webhookDeliveries,
	and(isDone, lt(seq, rowAfter(MAX_DONE - 1, isDone))),
);

/** Deletes all deliveries of a webhook. */
export const deleteDeliveries = deleteFrom(webhookDeliveries, isOfWebhook);
