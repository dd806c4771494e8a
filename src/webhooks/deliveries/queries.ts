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
import {
	assignments,
	type Builder,
	placeholders,
	query,
} from "../../store/query.ts";
import { webhookDeliveries } from "../../store/tables.ts";

/** How many deliveries of a webhook are kept when they are done, and how many may wait. */
const MAX_DONE = 100;
const MAX_WAITING = 10_000;

const all = getTableColumns(webhookDeliveries);
const { seq, id, webhookId, nextAt } = webhookDeliveries;
const isOfWebhook = eq(webhookId, sql.placeholder("webhookId"));
const isWaiting = and(isOfWebhook, isNotNull(nextAt));
const isDone = and(isOfWebhook, isNull(nextAt));

/** Returns the newest deliveries of a webhook, newest first. */
export const deliveriesOfWebhook = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhookDeliveries)
		.where(isOfWebhook)
		.orderBy(desc(seq))
		.limit(MAX_DONE),
);

/** Returns a delivery. */
export const deliveryById = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhookDeliveries)
		.where(eq(id, sql.placeholder("id"))),
);

/** Returns the delivery of a webhook that is due first. */
export const firstDue = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhookDeliveries)
		.where(isWaiting)
		.orderBy(asc(nextAt), asc(seq))
		.limit(1),
);

/** Returns the time of the first attempt of the oldest delivery that waits for another one. */
export const oldestWaiting = query(
	{ createdAt: webhookDeliveries.createdAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(webhookDeliveries)
			.where(isNotNull(nextAt))
			.orderBy(asc(webhookDeliveries.createdAt))
			.limit(1),
);

/** Stores the newest attempt of a delivery. */
export const saveDelivery = query(all, (builder, fields) =>
	builder
		.insert(webhookDeliveries)
		.values(
			placeholders(
				"id",
				"webhookId",
				"eventId",
				"createdAt",
				"at",
				"attempt",
				"status",
				"nextAt",
			),
		)
		.onConflictDoUpdate({
			target: sql.raw('"id"'),
			set: assignments(webhookDeliveries, "at", "attempt", "status", "nextAt"),
		})
		.returning(fields),
);

/** Sets the time of the next attempt. */
export const setNextAttempt = query(all, (builder, fields) =>
	builder
		.update(webhookDeliveries)
		.set(assignments(webhookDeliveries, "nextAt"))
		.where(eq(id, sql.placeholder("id")))
		.returning(fields),
);

/** Abandons all deliveries of a webhook that wait for another attempt. */
export const abandonAll = query({}, (builder) =>
	builder.update(webhookDeliveries).set({ nextAt: null }).where(isWaiting),
);

/** Selects the row that follows the newest `count` rows. */
function rowAfter(builder: Builder, count: number, condition: typeof isDone) {
	return builder
		.select({ seq })
		.from(webhookDeliveries)
		.where(condition)
		.orderBy(desc(seq))
		.limit(1)
		.offset(count);
}

/** Abandons the oldest deliveries of a webhook when too many wait. */
export const abandonOldest = query({}, (builder) =>
	builder
		.update(webhookDeliveries)
		.set({ nextAt: null })
		.where(and(isWaiting, lte(seq, rowAfter(builder, MAX_WAITING, isWaiting)))),
);

/** Deletes the oldest deliveries of a webhook that are done. */
export const deleteOldest = query({}, (builder) =>
	builder
		.delete(webhookDeliveries)
		.where(and(isDone, lt(seq, rowAfter(builder, MAX_DONE - 1, isDone)))),
);

/** Deletes all deliveries of a webhook. */
export const deleteDeliveries = query({}, (builder) =>
	builder.delete(webhookDeliveries).where(isOfWebhook),
);
