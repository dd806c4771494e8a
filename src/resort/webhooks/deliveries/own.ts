import { toTimestamp, toTimestampOrNull } from "../../../lib/clock.ts";
import { ResortError } from "../../../lib/resort-error.ts";
import { requireRow } from "../../../store/query.ts";
import type { Task } from "../../../store/task.ts";
import { changeAs } from "../../agents/known.ts";
import type { ServiceContext } from "../../context.ts";
import { publishInternal } from "../../events/publish.ts";
import type { Context } from "../../operation.ts";
import type { DeliveryInfo } from "../model.ts";
import { getWebhook, lockWebhook, senderOf } from "../service.ts";
import { bodyOf, type Delivery, type Due, pingId } from "./message.ts";
import {
	deliveriesOfWebhook,
	deliveryById,
	setNextAttempt,
} from "./queries.ts";
import { recordAttempt, type Webhook } from "./service.ts";

/**
 * The newest deliveries of an agent's webhook, newest first.
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
 * Sends a ping now, which is not sent again when it fails.
 * @throws ResortError `not_found`; `invalid` when the webhook has ended; `unavailable`
 */
export async function testWebhook(
	context: Context,
	agentId: string,
	id: string,
): Promise<DeliveryInfo> {
	const { store, clock, random } = context;
	const sender = senderOf(context);
	const createdAt = clock();
	const ping = random.uuid(createdAt);
	const { webhook, due, body } = await store.read(function* () {
		const webhook = yield* getWebhook(context, agentId, id);
		if (webhook.state === "ended") throw notActive(webhook);
		const due: Due = {
			...{ id: pingId(webhook.id, ping), eventId: null },
			...{ createdAt, attempt: 0 },
		};
		return { webhook, due, body: yield* bodyOf(context, agentId, due) };
	});
	const outcome = await sender.send(webhook, due.id, body ?? "");
	// The ping may have taken all the time that the request has for the database.
	const recorded = await store.withDeadline(() =>
		changeAs(context, agentId, function* () {
			yield* lockWebhook(context, agentId, id);
			return yield* recordAttempt(context, webhook.id, due, outcome, 0);
		}),
	);
	sender.changed(agentId);
	return toDeliveryInfo(requireRow(recorded?.delivery));
}

/**
 * Has a delivery attempted again now, with the same id.
 * @throws ResortError `not_found`; `invalid` when the webhook is not active or the event has been forgotten
 */
export async function redeliver(
	context: Context,
	agentId: string,
	id: string,
	deliveryId: string,
): Promise<DeliveryInfo> {
	const { store, clock } = context;
	const delivery = await changeAs(context, agentId, function* () {
		const webhook = yield* lockWebhook(context, agentId, id);
		const known = yield* deliveryById(store).get({ id: deliveryId });
		if (known?.webhookId !== webhook.id) throw deliveryNotFound();
		if (webhook.state !== "active") throw notActive(webhook);
		if ((yield* bodyOf(context, agentId, known)) === null) {
			throw new ResortError("invalid", "The event has been forgotten");
		}
		yield* publishInternal(store, "webhook.changed", agentId);
		const next = { id: known.id, nextAt: clock() };
		return requireRow(yield* setNextAttempt(store).get(next));
	});
	senderOf(context).changed(agentId);
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

function deliveryNotFound(): ResortError {
	return new ResortError("not_found", "Delivery not found", {
		hint: "GET /api/webhooks/{id}/deliveries lists the newest.",
	});
}

function notActive({ state }: Webhook): ResortError {
	return new ResortError("invalid", `The webhook is ${state}`, {
		hint: "DELETE /api/webhooks/{id}, then make another one with POST /api/webhooks.",
	});
}
