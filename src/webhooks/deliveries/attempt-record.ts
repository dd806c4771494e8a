import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import type { ServiceContext } from "../../resort/service-context.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import type { Delivery, Due, Outcome, Webhook } from "../model.ts";
import { lockedWebhook, setWebhookResult } from "../queries.ts";
import {
	abandonAll,
	abandonOldest,
	deleteOldest,
	saveDelivery,
} from "./queries.ts";

/** The delay of the next attempt after each failed one. */
const DELAYS_MS: readonly number[] = [
	5 * SECOND_MS,
	5 * MINUTE_MS,
	30 * MINUTE_MS,
	2 * HOUR_MS,
	5 * HOUR_MS,
	10 * HOUR_MS,
	14 * HOUR_MS,
	20 * HOUR_MS,
	24 * HOUR_MS,
];

/** Jitter extends a delay by at most this part of it. */
const JITTER = 0.1;

/** A webhook is disabled when all attempts of so long a time have failed. */
const DISABLED_AFTER_MS = 5 * DAY_MS;

/** The status of a receiver that wants no more messages. */
const GONE = 410;

/**
 * Stores the result of an attempt, the time of the next one and the webhook's position, inside a change.
 * @param chance from 0 to 1, for the jitter
 * @returns the delivery and the webhook's new state; null if the webhook has been deleted
 */
export function* recordAttempt(
	{ store, clock }: ServiceContext,
	webhookId: string,
	due: Due,
	outcome: Outcome,
	chance: number,
): Task<{ state: Webhook["state"]; delivery: Delivery } | null> {
	const before = yield* lockedWebhook(store).get({ id: webhookId });
	if (before === undefined) return null;
	const nowMs = clock();
	const after = webhookAfter(before, due, outcome, nowMs);
	const attempt = due.attempt + 1;
	const { status, failure, retryAfterMs } = outcome;
	const delayMs = DELAYS_MS[due.attempt];
	const isRetried =
		after.state === "active" && failure !== null && due.eventId !== null;
	const nextAt =
		isRetried && delayMs !== undefined
			? nowMs +
				Math.max(Math.round(delayMs * (1 + JITTER * chance)), retryAfterMs)
			: null;
	const delivery = requireRow(
		yield* saveDelivery(store).get({
			...due,
			...{ webhookId, at: nowMs, attempt, status, nextAt },
		}),
	);
	yield* setWebhookResult(store).run({ ...after, id: webhookId });
	if (after.state !== before.state) yield* abandonAll(store).run({ webhookId });
	if (nextAt !== null) yield* abandonOldest(store).run({ webhookId });
	yield* deleteOldest(store).run({ webhookId });
	return { state: after.state, delivery };
}

/** Returns the columns of a webhook after an attempt. A failed ping does not count as a failure of the webhook. */
function webhookAfter(
	before: Webhook,
	{ eventId, attempt }: Due,
	{ status, failure }: Outcome,
	nowMs: number,
) {
	const isFirst = eventId !== null && attempt === 0;
	// Another instance may have delivered later events meanwhile.
	const position = Math.max(before.position, isFirst ? eventId : 0);
	const { state, lastDeliveryAt } = before;
	if (failure === null) {
		return {
			...{ state, position, failure },
			...{ lastDeliveryAt: nowMs, failingSince: null },
		};
	}
	const failingSince =
		eventId === null ? before.failingSince : (before.failingSince ?? nowMs);
	const isDisabled =
		state === "active" &&
		failingSince !== null &&
		nowMs - failingSince >= DISABLED_AFTER_MS;
	return {
		...{ position, failure, lastDeliveryAt, failingSince },
		state:
			status === GONE
				? ("ended" as const)
				: isDisabled
					? ("disabled" as const)
					: state,
	};
}
