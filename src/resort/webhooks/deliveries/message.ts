import { toTimestamp } from "../../../lib/clock.ts";
import type { Rule } from "../../../store/rule.ts";
import type { webhookDeliveries } from "../../../store/tables.ts";
import { findAgent } from "../../agents/rules.ts";
import { readEvents } from "../../events/info.ts";
import type { Resort } from "../../resort.ts";

/** A row of the table of deliveries. */
export type Delivery = typeof webhookDeliveries.$inferSelect;

/** What is to be sent. */
export type Due = Pick<Delivery, "id" | "eventId" | "createdAt" | "attempt">;

/** The id of an event's delivery: made of both ids, so that it stays the same whatever happens. */
export function deliveryId(webhookId: string, eventId: number): string {
	return `msg_${plain(webhookId)}_${eventId}`;
}

/**
 * The id of a ping's delivery.
 * @param ping an id of its own
 */
export function pingId(webhookId: string, ping: string): string {
	return `msg_${plain(webhookId)}_${plain(ping)}`;
}

/**
 * The body of a message: the event as it is told now, or a ping.
 * @param agentId whose webhook it is
 * @returns null when the event has been forgotten
 */
export function* bodyOf(
	resort: Resort,
	agentId: string,
	{ eventId, createdAt }: Due,
): Rule<string | null> {
	if (eventId === null) return yield* pingBody(resort, agentId, createdAt);
	const [event] = yield* readEvents(resort.store, [eventId]);
	return event === undefined ? null : JSON.stringify(event);
}

/** A ping stands outside the sequence of events: it has no id. */
function* pingBody(resort: Resort, agentId: string, at: number): Rule<string> {
	const agent = yield* findAgent(resort, agentId);
	return JSON.stringify({
		type: "webhook.ping",
		id: null,
		at: toTimestamp(at),
		agent: { id: agentId, name: agent?.name ?? null },
	});
}

function plain(id: string): string {
	return id.replaceAll("-", "");
}
