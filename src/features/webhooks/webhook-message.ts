import type StandardWebhooks from "standardwebhooks";
import { SECOND_MS, toTimestamp } from "../../core/lib/clock.ts";
import { once } from "../../core/lib/once.ts";
import type { Random } from "../../core/lib/random.ts";
import { toVisibleJson } from "../../core/lib/text.ts";
import { VERSION } from "../../core/lib/version.ts";
import { findAgent } from "../../core/resort/agents/service.ts";
import { readEvents, showEvent } from "../../core/resort/events/event-info.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import type { Task } from "../../core/store/task.ts";
import type { Due } from "./model.ts";

/** The library is loaded only when the first message is signed, to keep the startup fast. */
const library = once((): typeof StandardWebhooks => require("standardwebhooks"));

/** Returns the id of the delivery of an event. All instances return the same id. */
export function deliveryId(webhookId: string, eventId: number | string) {
	return `msg_${webhookId.replaceAll("-", "")}_${eventId}`;
}

/** Creates a 256-bit secret for signing webhooks (https://www.standardwebhooks.com). */
export function createWebhookSecret(random: Random): string {
	return `whsec_${random.bytes(32).toBase64()}`;
}

/** Creates a ping with a new id. */
export function createPing({ clock, random }: ServiceContext, webhookId: string): Due {
	const createdAt = clock();
	const ping = random.uuid(createdAt).replaceAll("-", "");
	const id = deliveryId(webhookId, ping);
	return { id, eventId: null, createdAt, attempt: 0 };
}

/**
 * Returns the request body of a message: a ping, or the event with the current names of agents.
 * @param agentId the owner of the webhook
 * @returns null if the event has been deleted
 */
export function* bodyOf(
	context: ServiceContext,
	agentId: string,
	{ eventId, createdAt }: Due,
): Task<string | null> {
	if (eventId === null) {
		const agent = yield* findAgent(context, agentId);
		return toVisibleJson({
			type: "webhook.ping",
			// Null, because a ping is not part of the sequence of events.
			id: null,
			at: toTimestamp(createdAt),
			agent: { id: agentId, name: agent?.name ?? null },
		});
	}
	const [event] = yield* readEvents(context.store, [eventId]);
	return event === undefined ? null : toVisibleJson(showEvent(event));
}

/**
 * Returns the header fields of a message, with a signature as in https://www.standardwebhooks.com.
 * @param id the message id, which is the same for every attempt
 * @param nowMs the system time: receivers reject timestamps that differ from their own time
 */
export function signedHeaders(
	secret: string,
	id: string,
	body: string,
	nowMs: number,
): Record<string, string> {
	const { Webhook: Signer } = library();
	return {
		"content-type": "application/json",
		"user-agent": `agent-resort/${VERSION}`,
		"webhook-id": id,
		"webhook-timestamp": String(Math.floor(nowMs / SECOND_MS)),
		"webhook-signature": new Signer(secret).sign(id, new Date(nowMs), body),
	};
}
