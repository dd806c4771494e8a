import { requireRow } from "../../../store/query.ts";
import type { webhooks } from "../../../store/tables.ts";
import type { Task } from "../../../store/task.ts";
import type { ServiceContext } from "../../context.ts";
import { lockedWebhook, setWebhookResult } from "../queries.ts";
import { DISABLED_AFTER_MS, delayAfter } from "../schedule.ts";
import type { Delivery, Due } from "./message.ts";
import {
	forgetOldest,
	giveUpAll,
	giveUpOldest,
	insertDelivery,
	updateDelivery,
} from "./queries.ts";

/** By this status a receiver says that it will take nothing more. */
const GONE = 410;

/** What came of an attempt. */
export interface Outcome {
	/** Of the answer; null when there was none. */
	readonly status: number | null;
	/** What went wrong, in a few words; null for an answer of 2xx. */
	readonly failure: string | null;
	/** For how long the receiver wants to be left alone, in milliseconds; 0 when it does not say. */
	readonly retryAfterMs: number;
}

/** A row of the table of webhooks. */
export type Webhook = typeof webhooks.$inferSelect;

/** What was written down. */
export interface Recorded {
	readonly webhook: Pick<Webhook, "state" | "position">;
	readonly delivery: Delivery;
}

/**
 * Writes down what came of an attempt, when the next one is, and how far the webhook has come, inside one change.
 * @param chance from 0 to 1, for the time of the next attempt
 * @returns null when the webhook has been deleted meanwhile
 */
export function* recordAttempt(
	{ store, clock }: ServiceContext,
	webhookId: string,
	due: Due,
	outcome: Outcome,
	chance: number,
): Task<Recorded | null> {
	const before = yield* lockedWebhook(store).get({ id: webhookId });
	if (before === undefined) return null;
	const nowMs = clock();
	const after = afterwards(before, due, outcome, nowMs);
	const isAgain = after.state === "active" && outcome.failure !== null;
	const attempt = due.attempt + 1;
	const delayMs =
		isAgain && due.eventId !== null
			? delayAfter(attempt, outcome.retryAfterMs, chance)
			: null;
	const nextAt = delayMs === null ? null : nowMs + delayMs;
	const values = {
		...due,
		webhookId,
		at: nowMs,
		attempt,
		status: outcome.status,
		nextAt,
	};
	const delivery =
		(yield* updateDelivery(store).get(values)) ??
		requireRow(yield* insertDelivery(store).get(values));
	yield* setWebhookResult(store).run({ ...after, id: webhookId });
	if (after.state !== before.state) yield* giveUpAll(store).run({ webhookId });
	if (nextAt !== null) yield* giveUpOldest(store).run({ webhookId });
	yield* forgetOldest(store).run({ webhookId });
	return { webhook: after, delivery };
}

/** What a webhook is like after an attempt. A test says nothing of how long it has failed. */
function afterwards(
	before: Webhook,
	{ eventId, attempt }: Due,
	{ status, failure }: Outcome,
	nowMs: number,
) {
	const isFirst = eventId !== null && attempt === 0;
	// Another instance may have come further meanwhile.
	const position = Math.max(before.position, isFirst ? eventId : 0);
	if (failure === null) {
		const { state } = before;
		return {
			...{ state, position, failure },
			...{ lastDeliveryAt: nowMs, failingSince: null },
		};
	}
	const { lastDeliveryAt } = before;
	const failingSince =
		eventId === null ? before.failingSince : (before.failingSince ?? nowMs);
	const isLong =
		failingSince !== null && nowMs - failingSince >= DISABLED_AFTER_MS;
	const state = before.state === "active" && isLong ? "disabled" : before.state;
	return {
		...{ position, failure, lastDeliveryAt, failingSince },
		state: status === GONE ? ("ended" as const) : state,
	};
}
