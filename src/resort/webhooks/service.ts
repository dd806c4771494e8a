import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { createWebhookSecret } from "../../lib/credential.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import { changeAs } from "../agents/known.ts";
import type { ServiceContext } from "../context.ts";
import { publishInternal } from "../events/publish.ts";
import type { Context, Webhooks } from "../operation.ts";
import { bodyOf, pingId } from "./deliveries/message.ts";
import type { Webhook } from "./deliveries/service.ts";
import type { CreateWebhookBody, WebhookInfo } from "./model.ts";
import {
	insertWebhook,
	lockedWebhook,
	webhookById,
	webhooksOfAgent,
} from "./queries.ts";
import { forgetEnded, forgetWebhook, requireRoom } from "./room.ts";

/**
 * Makes a webhook, once its receiver has answered a ping. It hears of what happens from then on.
 * @returns it and its secret, which is told this once
 * @throws ResortError `invalid` when the URL may not be called, the ping is not answered well or the agent has too
 * many; `unavailable`
 */
export async function createWebhook(
	context: Context,
	agentId: string,
	body: CreateWebhookBody,
): Promise<{ webhook: WebhookInfo; secret: string }> {
	const { store, clock, random } = context;
	const sender = senderOf(context);
	const url = sender.accept(body.url);
	const types = listOrNull("types", body.types);
	const ids = body.agentIds?.map((one) => one.toLowerCase());
	const agentIds = listOrNull("agentIds", ids);
	const createdAt = clock();
	const id = random.uuid(createdAt);
	const secret = createWebhookSecret(random);
	const ping = {
		...{ id: pingId(id, random.uuid(createdAt)), eventId: null },
		...{ createdAt, attempt: 0 },
	};
	const message = await store.read(function* () {
		yield* requireRoom(store, agentId);
		return yield* bodyOf(context, agentId, ping);
	});
	const { failure } = await sender.send(
		{ agentId, url, secret },
		ping.id,
		message ?? "",
	);
	if (failure !== null) throw notAnswered(failure);
	// The ping may have taken all the time that the request has for the database.
	const row = await store.withDeadline(() =>
		changeAs(context, agentId, function* () {
			yield* requireRoom(store, agentId);
			yield* forgetEnded(store, agentId);
			const values = { id, agentId, url, types, agentIds, secret, createdAt };
			const { final: position } = yield* store.eventWatermarks();
			const made = requireRow(
				yield* insertWebhook(store).get({
					...{ ...values, state: "active", position },
				}),
			);
			yield* publishInternal(store, "webhook.changed", agentId);
			return made;
		}),
	);
	sender.changed(agentId);
	return { webhook: toInfo(row), secret };
}

/** The webhooks of an agent, newest first. */
export function* listWebhooks(
	{ store }: ServiceContext,
	agentId: string,
): Task<WebhookInfo[]> {
	return (yield* webhooksOfAgent(store).all({ agentId })).map(toInfo);
}

/**
 * A webhook of an agent.
 * @throws ResortError `not_found`, also for somebody else's
 */
export function* getWebhook(
	{ store }: ServiceContext,
	agentId: string,
	id: string,
): Task<Webhook> {
	const values = { id: id.toLowerCase() };
	return own(agentId, yield* webhookById(store).get(values));
}

/** As {@link getWebhook}, inside a change: nobody else changes it until that has ended. */
export function* lockWebhook(
	{ store }: ServiceContext,
	agentId: string,
	id: string,
): Task<Webhook> {
	const values = { id: id.toLowerCase() };
	return own(agentId, yield* lockedWebhook(store).get(values));
}

/**
 * Deletes a webhook and all that is known of its deliveries.
 * @throws as {@link getWebhook}
 */
export async function removeWebhook(
	context: Context,
	agentId: string,
	id: string,
): Promise<void> {
	await changeAs(context, agentId, function* () {
		const webhook = yield* lockWebhook(context, agentId, id);
		yield* forgetWebhook(context.store, webhook.id);
		yield* publishInternal(context.store, "webhook.changed", agentId);
	});
	senderOf(context).changed(agentId);
}

/** @throws ResortError `not_found` where webhooks are off */
export function senderOf({ webhooks }: Context): Webhooks {
	if (webhooks === null) throw new ResortError("not_found", "Not found");
	return webhooks;
}

/** A webhook as its owner sees it. */
export function toInfo(row: Webhook): WebhookInfo {
	const { id, url, state, failure, createdAt, lastDeliveryAt } = row;
	return {
		...{ id, url, state, failure },
		types: row.types as WebhookInfo["types"],
		agentIds: row.agentIds,
		createdAt: toTimestamp(createdAt),
		lastDeliveryAt: toTimestampOrNull(lastDeliveryAt),
	};
}

function own(agentId: string, webhook: Webhook | undefined): Webhook {
	if (webhook?.agentId === agentId) return webhook;
	throw new ResortError("not_found", "Webhook not found", {
		hint: "GET /api/webhooks lists your own.",
	});
}

/**
 * A list without repetitions; null for none.
 * @throws ResortError `invalid` for an empty one, which could mean all or nothing
 */
function listOrNull<T extends string>(
	field: string,
	list: readonly T[] | null | undefined,
): T[] | null {
	if (list == null) return null;
	if (list.length > 0) return [...new Set(list)];
	throw new ResortError("invalid", `${field} must not be an empty list`, {
		field,
		hint: `Leave ${field} out to hear of all.`,
	});
}

function notAnswered(failure: string): ResortError {
	return new ResortError(
		"invalid",
		`The receiver did not take the webhook.ping: ${failure}`,
		{
			field: "url",
			hint: "It must answer a POST with a status of 200 to 299 within 15 seconds, at a public address and without a redirect.",
		},
	);
}
