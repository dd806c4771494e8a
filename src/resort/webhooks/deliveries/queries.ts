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
	sql,
} from "drizzle-orm";
import {
	assignments,
	type Builder,
	placeholders,
	query,
} from "../../../store/query.ts";
import { webhookDeliveries, webhooks } from "../../../store/tables.ts";

/** How many of a webhook are kept beside those that wait, and how many may wait. */
export const KEPT = 100;
const MAX_WAITING = 10_000;

const all = getTableColumns(webhookDeliveries);
const { seq, webhookId, nextAt } = webhookDeliveries;
const isOfWebhook = eq(webhookId, sql.placeholder("webhookId"));
const waits = and(isOfWebhook, isNotNull(nextAt));
const isDone = and(isOfWebhook, isNull(nextAt));

/** The newest of a webhook, newest first. */
export const deliveriesOfWebhook = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhookDeliveries)
		.where(isOfWebhook)
		.orderBy(desc(seq))
		.limit(KEPT),
);

/** A delivery by its id. */
export const deliveryById = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhookDeliveries)
		.where(eq(webhookDeliveries.id, sql.placeholder("id"))),
);

/** The one of a webhook that is due first. */
export const firstDue = query(all, (builder, fields) =>
	builder
		.select(fields)
		.from(webhookDeliveries)
		.where(waits)
		.orderBy(asc(nextAt), asc(seq))
		.limit(1),
);

/** When the oldest delivery that waits was attempted first. */
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

/** Writes down the first attempt of a delivery. */
export const insertDelivery = query(all, (builder, fields) =>
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
		.returning(fields),
);

/** Writes down a later one. */
export const updateDelivery = query(all, (builder, fields) =>
	builder
		.update(webhookDeliveries)
		.set(assignments(webhookDeliveries, "at", "attempt", "status", "nextAt"))
		.where(eq(webhookDeliveries.id, sql.placeholder("id")))
		.returning(fields),
);

/** Moves the next attempt. */
export const setNextAttempt = query(all, (builder, fields) =>
	builder
		.update(webhookDeliveries)
		.set(assignments(webhookDeliveries, "nextAt"))
		.where(eq(webhookDeliveries.id, sql.placeholder("id")))
		.returning(fields),
);

/** Gives up all that wait of a webhook. */
export const giveUpAll = query({}, (builder) =>
	builder.update(webhookDeliveries).set({ nextAt: null }).where(waits),
);

/** Gives up all that wait of an agent's webhooks. */
export const giveUpAllOf = query({}, (builder) =>
	builder
		.update(webhookDeliveries)
		.set({ nextAt: null })
		.where(
			and(
				isNotNull(nextAt),
				inArray(
					webhookId,
					builder
						.select({ id: webhooks.id })
						.from(webhooks)
						.where(eq(webhooks.agentId, sql.placeholder("agentId"))),
				),
			),
		),
);

/** The row after the newest `count` ones of a webhook that fit. */
function rowAfter(builder: Builder, count: number, condition: typeof waits) {
	return builder
		.select({ seq })
		.from(webhookDeliveries)
		.where(condition)
		.orderBy(desc(seq))
		.limit(1)
		.offset(count);
}

/** Gives up the oldest of a webhook when too many wait. */
export const giveUpOldest = query({}, (builder) =>
	builder
		.update(webhookDeliveries)
		.set({ nextAt: null })
		.where(and(waits, lte(seq, rowAfter(builder, MAX_WAITING, waits)))),
);

/** Forgets the oldest of a webhook that wait for nothing. */
export const forgetOldest = query({}, (builder) =>
	builder
		.delete(webhookDeliveries)
		.where(and(isDone, lt(seq, rowAfter(builder, KEPT - 1, isDone)))),
);

/** Forgets all of a webhook. */
export const forgetDeliveries = query({}, (builder) =>
	builder.delete(webhookDeliveries).where(isOfWebhook),
);
