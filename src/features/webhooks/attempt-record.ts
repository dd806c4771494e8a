import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/lib/clock.ts";
import { call, hint } from "../../core/lib/hint.ts";
import { publishInternal } from "../../core/resort/events/publish.ts";
import type { EndedDependents, ServiceContext } from "../../core/resort/service-context.ts";
import { requireRow } from "../../core/store/query.ts";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import type { Delivery, Due, Outcome, Webhook } from "./model.ts";
import {
	abandonAll,
	abandonOldest,
	deleteOldest,
	endWebhooksOfAgent,
	lockedWebhook,
	saveDelivery,
	setWebhookResult,
} from "./queries.ts";

/** The delays between attempts: the n-th delay follows the n-th failure. */
const DELAYS_MS: readonly number[] = [
	5 * SECOND_MS,
	5 * MINUTE_MS,
	30 * MINUTE_MS,
	...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** The maximum jitter, as a fraction of the delay. Jitter only extends a delay. */
const JITTER = 0.1;

/** A webhook is disabled after all its attempts have failed for this long. */
const DISABLED_AFTER_MS = 5 * DAY_MS;

/** The response status with which a receiver ends its webhook. */
const GONE = 410;

/** An attempt to deliver a message. */
interface Attempt {
	readonly webhookId: string;
	readonly due: Due;
	readonly outcome: Outcome;
	/** A random number from 0 to 1, for the jitter. */
	readonly chance?: number;
}

/**
 * Stores the result of an attempt: the delivery with the time of its next attempt, and the state and position
 * of the webhook. If the state changes, abandons all deliveries that wait for a retry. Removes the oldest
 * deliveries if there are too many. Call it inside a transaction.
 * @returns the delivery and the webhook's new state; null if the webhook has been deleted
 */
export function* recordAttempt(
	{ store, clock }: ServiceContext,
	{ webhookId, due, outcome, chance = 0 }: Attempt,
): Task<{ state: Webhook["state"]; delivery: Delivery } | null> {
	const before = yield* lockedWebhook(store).get({ id: webhookId });
	if (before === undefined) return null;
	const at = clock();
	const { status, failure } = outcome;
	const after = webhookAfter(before, due, outcome, at);
	const nextAt =
		after.state === "active" && failure !== null && due.eventId !== null
			? nextAttemptAt(due, outcome, chance, at)
			: null;
	const attempt = due.attempt + 1;
	const values = { ...due, webhookId, at, attempt, status, nextAt };
	const delivery = requireRow(yield* saveDelivery(store).get(values));
	yield* setWebhookResult(store).run({ ...after, id: webhookId });
	if (after.state !== before.state) yield* abandonAll(store).run({ webhookId });
	if (nextAt !== null) yield* abandonOldest(store).run({ webhookId });
	yield* deleteOldest(store).run({ webhookId });
	return { state: after.state, delivery };
}

/**
 * Ends an agent's webhooks and abandons their deliveries. Call it inside the transaction that ends the
 * agent's key.
 * @returns the number of webhooks that have ended, and a hint unless the number is 0
 */
export function* endWebhooks(store: Store, agentId: string): Task<EndedDependents> {
	const ended = yield* endWebhooksOfAgent(store).all({ agentId });
	for (const { id } of ended) yield* abandonAll(store).run({ webhookId: id });
	yield* publishInternal(store, "webhook.changed", agentId);
	const count = ended.length;
	const create = call("POST /api/webhooks");
	return {
		count,
		hint: count === 0 ? null : hint`Your webhooks have ended (${count}). ${create} creates new ones.`,
	};
}

/** Returns the time of the next attempt after a failed attempt; null if the failed attempt was the last. */
function nextAttemptAt(
	{ attempt }: Due,
	{ retryAfterMs }: Outcome,
	chance: number,
	nowMs: number,
): number | null {
	const delayMs = DELAYS_MS[attempt];
	if (delayMs === undefined) return null;
	const jitteredMs = Math.round(delayMs * (1 + JITTER * chance));
	return nowMs + Math.max(jitteredMs, retryAfterMs);
}

/**
 * Returns the webhook's columns after an attempt. A failed ping does not start the period after which a
 * webhook is disabled.
 */
function webhookAfter(
	before: Webhook,
	{ eventId, attempt }: Due,
	{ status, failure }: Outcome,
	nowMs: number,
) {
	const isFirst = eventId !== null && attempt === 0;
	// The position must not move back: another instance may have delivered later events.
	const position = Math.max(before.position, isFirst ? eventId : 0);
	const { state, lastDeliveryAt } = before;
	if (failure === null) return { state, position, failure, lastDeliveryAt: nowMs, failingSince: null };
	const failingSince = before.failingSince ?? (eventId === null ? null : nowMs);
	const isDisabled = state === "active" && nowMs - (failingSince ?? nowMs) >= DISABLED_AFTER_MS;
	const newState: Webhook["state"] = isDisabled ? "disabled" : state;
	return { state: status === GONE ? "ended" : newState, position, failure, lastDeliveryAt, failingSince };
}
