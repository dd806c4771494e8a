import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { writeAs } from "../../resort/agents/authenticated-agent.ts";
import type { Context } from "../../resort/context.ts";
import { publishInternal } from "../../resort/events/publish.ts";
import type { ServiceContext } from "../../resort/service-context.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import type { Delivery, DeliveryInfo, Webhook } from "../model.ts";
import { lockedWebhook } from "../queries.ts";
import { getWebhook, senderOf } from "../service.ts";
import { bodyOf, createPing } from "../webhook-message.ts";
import { recordAttempt } from "./attempt-record.ts";
import {
	deliveriesOfWebhook,
	deliveryById,
	setNextAttempt,
} from "./queries.ts";

/**
 * Returns the newest deliveries of an agent's webhook, newest first.
 * @throws ResortError `not_found`
 */
export function* listDeliveries(
	context: ServiceContext,
	agentId: string,
	id: string,
): Task<DeliveryInfo[]> {
	const { id: webhookId } = yield* getWebhook(context, agentId, id);
	const rows = yield* deliveriesOfWebhook(context.store).all({ webhookId });
	return rows.map(toDeliveryInfo);
}

/**
 * Sends a ping, without retries.
 * @throws ResortError `not_found`; `invalid` if the webhook has ended; `unavailable`
 */
export async function testWebhook(
	context: Context,
	agentId: string,
	id: string,
): Promise<DeliveryInfo> {
	const { store } = context;
	const webhook = await store.read(() => getWebhook(context, agentId, id));
	if (webhook.state === "ended") throw notActive(webhook);
	const ping = createPing(context, webhook.id);
	const outcome = await senderOf(context).sendPing(webhook, ping);
	// A new deadline: the ping may have taken all the time of the request.
	const recorded = await store.withDeadline(() =>
		writeAs(context, agentId, function* () {
			yield* getWebhook(context, agentId, id, lockedWebhook);
			return yield* recordAttempt(context, webhook.id, ping, outcome, 0);
		}),
	);
	return toDeliveryInfo(requireRow(recorded?.delivery));
}

/**
 * Schedules another attempt of a delivery now, with the same id.
 * @throws ResortError `not_found`; `invalid` if the webhook is not active or the event has been deleted
 */
export async function redeliver(
	context: Context,
	agentId: string,
	id: string,
	deliveryId: string,
): Promise<DeliveryInfo> {
	const { store, clock } = context;
	const delivery = await writeAs(context, agentId, function* () {
		const webhook = yield* getWebhook(context, agentId, id, lockedWebhook);
		const known = yield* deliveryById(store).get({ id: deliveryId });
		if (known?.webhookId !== webhook.id) {
			throw new ResortError("not_found", "Delivery not found", {
				hint: "GET /api/webhooks/{id}/deliveries lists the newest.",
			});
		}
		if (webhook.state !== "active") throw notActive(webhook);
		if ((yield* bodyOf(context, agentId, known)) === null) {
			throw new ResortError("invalid", "The event has been forgotten");
		}
		yield* publishInternal(store, "webhook.changed", agentId);
		const next = { id: known.id, nextAt: clock() };
		return requireRow(yield* setNextAttempt(store).get(next));
	});
	return toDeliveryInfo(delivery);
}

function toDeliveryInfo(row: Delivery): DeliveryInfo {
	const { id, eventId, at, attempt, status, nextAt } = row;
	return {
		id,
		eventId: eventId === null ? null : String(eventId),
		at: toTimestamp(at),
		attempt,
		status,
		next: toTimestampOrNull(nextAt),
	};
}

function notActive({ state }: Webhook): ResortError {
	return new ResortError("invalid", `The webhook is ${state}`, {
		hint: "DELETE /api/webhooks/{id}, then make another one with POST /api/webhooks.",
	});
}
