import { HOUR_MS, SECOND_MS, toTimestamp, toTimestampOrNull } from "../../core/lib/clock.ts";
import { call, hint } from "../../core/lib/hint.ts";
import { pick } from "../../core/lib/record.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import { type Caller, lockActive } from "../../core/resort/agents/authenticated-agent.ts";
import { requireCredential } from "../../core/resort/agents/service.ts";
import type { Context } from "../../core/resort/context.ts";
import { publishInternal } from "../../core/resort/events/publish.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { requireRow } from "../../core/store/query.ts";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { recordAttempt } from "./attempt-record.ts";
import { requireWebhookUrl } from "./delivery-attempt.ts";
import type { CreateWebhookBody, Delivery, DeliveryInfo, Webhook, WebhookInfo } from "./model.ts";
import {
	countActive,
	deleteDeliveries,
	deleteWebhook,
	deliveryById,
	insertWebhook,
	lockedWebhook,
	setNextAttempt,
	webhookById,
	webhooksOfAgent,
} from "./queries.ts";
import { bodyOf, createWebhookSecret } from "./webhook-message.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** The maximum numbers of an agent's webhooks that have not ended, and of its ended ones that are kept. */
const MAX_OF_AGENT = 5;
const MAX_ENDED = 5;

/** The maximum number of active webhooks in total. Each has a queue in memory and examines every event. */
const MAX_ACTIVE = 10_000;

/**
 * Creates a webhook after its receiver has accepted a ping. The webhook receives all later events.
 * @param network the caller's network. The number of concurrent deliveries is limited for each network
 * @throws ResortError `invalid` if the URL is refused, the ping fails or the agent has too many webhooks;
 * `unauthorized` if the credential has ended during the ping; `unavailable` if the resort is at its limits
 */
export async function createWebhook(
	context: Context,
	caller: Caller,
	network: string,
	body: CreateWebhookBody,
): Promise<{ webhook: WebhookInfo; secret: string }> {
	const agentId = caller.agent.id;
	const { store, clock, random } = context;
	const sender = senderOf(context);
	const url = requireWebhookUrl(body.url, sender.options.allowed);
	const createdAt = clock();
	const id = random.uuid(createdAt);
	const secret = createWebhookSecret(random);
	await store.read(() => requireCapacity(store, agentId));
	const webhook = { id, agentId, url, secret, network };
	const { outcome } = await sender.sendPing(webhook);
	if (outcome.failure !== null) {
		throw invalid(`The receiver did not accept the webhook.ping: ${outcome.failure}`, {
			field: "url",
			hint: "It must respond to a POST with status 200 to 299 within 15 seconds, at a public address and without a redirect.",
		});
	}
	const row = await changeAfterPing(context, caller, function* () {
		const webhooks = yield* requireCapacity(store, agentId);
		const ended = webhooks.filter(({ state }) => state === "ended");
		for (const { id } of ended.slice(MAX_ENDED)) {
			yield* deleteWithDeliveries(store, id);
		}
		const { final: position } = yield* store.eventWatermarks();
		const inserted = yield* insertWebhook(store).get({
			...webhook,
			createdAt,
			state: "active",
			position,
			types: withoutDuplicates(body.types),
			agentIds: withoutDuplicates(body.agentIds?.map((one) => one.toLowerCase())),
		});
		yield* publishInternal(store, "webhook.changed", agentId);
		return requireRow(inserted);
	});
	return { webhook: toWebhookInfo(row), secret };
}

/**
 * Runs a change in a transaction with its own deadline, because the ping may have used up the request's time.
 * @throws ResortError `unauthorized` if the credential has ended during the ping
 */
async function changeAfterPing<T>(context: Context, caller: Caller, change: () => Task<T>): Promise<T> {
	return context.store.withDeadline(() =>
		context.store.write(function* () {
			yield* lockActive(context, caller.agent.id);
			yield* requireCredential(context, caller);
			return yield* change();
		}),
	);
}

/**
 * Checks that an agent may create another webhook. Returns its webhooks, newest first.
 * @throws ResortError `invalid` if the agent has too many webhooks, `unavailable` if the resort has too many
 */
function* requireCapacity(store: Store, agentId: string): Task<Webhook[]> {
	const webhooks = yield* webhooksOfAgent(store).all({ agentId });
	const open = webhooks.filter(({ state }) => state !== "ended");
	if (open.length >= MAX_OF_AGENT) {
		throw invalid(`You already have ${MAX_OF_AGENT} webhooks`, {
			hint: hint`${call("GET /api/webhooks")} lists them; ${call("DELETE /api/webhooks/:id")} removes one.`,
		});
	}
	const active = (yield* countActive(store).get({}))?.count ?? 0;
	if (active < MAX_ACTIVE) return webhooks;
	throw new ResortError("unavailable", "Too many webhooks", {
		hint: hint`The resort has reached its limit; ${call("GET /api/me/events")} returns the same events.`,
		retryAfterSeconds: HOUR_MS / SECOND_MS,
	});
}

/**
 * Returns a webhook of an agent. Pass `lockedWebhook` as `find` inside a transaction.
 * @throws ResortError `not_found` if there is no such webhook or it belongs to another agent
 */
export function* getWebhook(
	{ store }: ServiceContext,
	agentId: string,
	id: string,
	find = webhookById,
): Task<Webhook> {
	const webhook = yield* find(store).get({ id: id.toLowerCase() });
	if (webhook?.agentId === agentId) return webhook;
	throw new ResortError("not_found", "Webhook not found", {
		hint: hint`${call("GET /api/webhooks")} lists your own.`,
	});
}

/** Deletes a webhook and its deliveries. Call it inside a transaction. @throws as {@link getWebhook} */
export function* removeWebhook(context: ServiceContext, agentId: string, id: string): Task<void> {
	const webhook = yield* getWebhook(context, agentId, id, lockedWebhook);
	yield* deleteWithDeliveries(context.store, webhook.id);
	yield* publishInternal(context.store, "webhook.changed", agentId);
}

/**
 * Sends a ping without retries, and stores the result.
 * @throws as {@link getWebhook}; ResortError `invalid` if the webhook has ended, `unavailable` if the
 * ping must wait too long
 */
export async function testWebhook(context: Context, caller: Caller, id: string): Promise<DeliveryInfo> {
	const agentId = caller.agent.id;
	const webhook = await context.store.read(() => getWebhook(context, agentId, id));
	if (webhook.state === "ended") throw notActive(webhook);
	const { ping, outcome } = await senderOf(context).sendPing(webhook);
	const recorded = await changeAfterPing(context, caller, function* () {
		yield* getWebhook(context, agentId, id, lockedWebhook);
		return yield* recordAttempt(context, { webhookId: webhook.id, due: ping, outcome });
	});
	return toDeliveryInfo(requireRow(recorded?.delivery));
}

/**
 * Schedules an immediate further attempt at a delivery, with the same message id. Call it in a transaction.
 * @throws as {@link getWebhook}; ResortError `invalid` if the webhook is not active or the event is deleted
 */
export function* redeliver(
	context: ServiceContext,
	agentId: string,
	id: string,
	deliveryId: string,
): Task<DeliveryInfo> {
	const { store, clock } = context;
	const webhook = yield* getWebhook(context, agentId, id, lockedWebhook);
	const delivery = yield* deliveryById(store).get({ id: deliveryId });
	if (delivery?.webhookId !== webhook.id) {
		throw new ResortError("not_found", "Delivery not found", {
			hint: hint`${call("GET /api/webhooks/:id/deliveries")} lists the newest.`,
		});
	}
	if (webhook.state !== "active") throw notActive(webhook);
	if ((yield* bodyOf(context, agentId, delivery)) === null) {
		throw invalid("The event has been deleted");
	}
	yield* publishInternal(store, "webhook.changed", agentId);
	const next = { id: delivery.id, nextAt: clock() };
	return toDeliveryInfo(requireRow(yield* setNextAttempt(store).get(next)));
}

function* deleteWithDeliveries(store: Store, webhookId: string): Task<void> {
	yield* deleteDeliveries(store).run({ webhookId });
	yield* deleteWebhook(store).run({ id: webhookId });
}

/** @throws ResortError `not_found` if webhooks are off */
function senderOf({ webhooks }: Context): WebhookSender {
	if (webhooks === undefined) throw new ResortError("not_found", "Not found");
	return webhooks;
}

function notActive({ state }: Webhook): ResortError {
	return invalid(`The webhook is ${state}`, {
		hint: hint`${call("DELETE /api/webhooks/:id")}, then create another with ${call("POST /api/webhooks")}.`,
	});
}

/** Returns the representation of a webhook for its owner. */
export function toWebhookInfo(row: Webhook): WebhookInfo {
	return {
		...pick(row, ["id", "url", "state", "failure", "agentIds"]),
		types: row.types as WebhookInfo["types"],
		createdAt: toTimestamp(row.createdAt),
		lastDeliveryAt: toTimestampOrNull(row.lastDeliveryAt),
	};
}

/** Returns the representation of a delivery for the owner of its webhook. */
export function toDeliveryInfo(row: Delivery): DeliveryInfo {
	return {
		...pick(row, ["id", "attempt", "status"]),
		eventId: row.eventId === null ? null : String(row.eventId),
		at: toTimestamp(row.at),
		next: toTimestampOrNull(row.nextAt),
	};
}

function withoutDuplicates<T>(list: readonly T[] | null | undefined) {
	return list == null ? null : [...new Set(list)];
}
