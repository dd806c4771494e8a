import { toTimestamp, toTimestampOrNull } from "../../../lib/clock.ts";
import { ResortError } from "../../../lib/resort-error.ts";
import { theRow } from "../../../store/question.ts";
import type { Rule } from "../../../store/rule.ts";
import { changeAs } from "../../agents/known.ts";
import { tellHouse } from "../../events/tell.ts";
import type { House } from "../../operation.ts";
import type { Resort } from "../../resort.ts";
import type { DeliveryInfo } from "../model.ts";
import { getWebhook, lockWebhook, senderOf } from "../rules.ts";
import { bodyOf, type Delivery, type Due, pingId } from "./message.ts";
import {
	deliveriesOfWebhook,
	deliveryById,
	setNextAttempt,
} from "./queries.ts";
import { recordAttempt, type Webhook } from "./rules.ts";

/**
 * The newest deliveries of an agent's webhook, newest first.
 * @throws ResortError `not_found`
 */
export function* listDeliveries(
	resort: Resort,
	agentId: string,
	id: string,
): Rule<DeliveryInfo[]> {
	const { id: webhookId } = yield* getWebhook(resort, agentId, id);
	const rows = yield* deliveriesOfWebhook(resort.store).all({ webhookId });
	return rows.map(toDeliveryInfo);
}

/**
 * Sends a ping now, which is not sent again when it fails.
 * @throws ResortError `not_found`; `invalid` when the webhook has ended; `unavailable`
 */
export async function testWebhook(
	house: House,
	agentId: string,
	id: string,
): Promise<DeliveryInfo> {
	const { store, clock, random } = house;
	const sender = senderOf(house);
	const createdAt = clock();
	const ping = random.uuid(createdAt);
	const { webhook, due, body } = await store.read(function* () {
		const webhook = yield* getWebhook(house, agentId, id);
		if (webhook.state === "ended") throw notActive(webhook);
		const due: Due = {
			...{ id: pingId(webhook.id, ping), eventId: null },
			...{ createdAt, attempt: 0 },
		};
		return { webhook, due, body: yield* bodyOf(house, agentId, due) };
	});
	const outcome = await sender.send(webhook, due.id, body ?? "");
	// The ping may have taken all the time that the request has for the database.
	const recorded = await store.attend(() =>
		changeAs(house, agentId, function* () {
			yield* lockWebhook(house, agentId, id);
			return yield* recordAttempt(house, webhook.id, due, outcome, 0);
		}),
	);
	sender.changed(agentId);
	return toDeliveryInfo(theRow(recorded?.delivery));
}

/**
 * Has a delivery attempted again now, with the same id.
 * @throws ResortError `not_found`; `invalid` when the webhook is not active or the event has been forgotten
 */
export async function redeliver(
	house: House,
	agentId: string,
	id: string,
	deliveryId: string,
): Promise<DeliveryInfo> {
	const { store, clock } = house;
	const delivery = await changeAs(house, agentId, function* () {
		const webhook = yield* lockWebhook(house, agentId, id);
		const known = yield* deliveryById(store).get({ id: deliveryId });
		if (known?.webhookId !== webhook.id) throw deliveryNotFound();
		if (webhook.state !== "active") throw notActive(webhook);
		if ((yield* bodyOf(house, agentId, known)) === null) {
			throw new ResortError("invalid", "The event has been forgotten");
		}
		yield* tellHouse(store, "webhook.changed", agentId);
		const next = { id: known.id, nextAt: clock() };
		return theRow(yield* setNextAttempt(store).get(next));
	});
	senderOf(house).changed(agentId);
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
