import { toTimestamp } from "../../../lib/clock.ts";
import type { webhookDeliveries } from "../../../store/tables.ts";
import type { Task } from "../../../store/task.ts";
import { findAgent } from "../../agents/service.ts";
import type { ServiceContext } from "../../context.ts";
import { readEvents } from "../../events/info.ts";

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
	context: ServiceContext,
	agentId: string,
	{ eventId, createdAt }: Due,
): Task<string | null> {
	if (eventId === null) return yield* pingBody(context, agentId, createdAt);
	const [event] = yield* readEvents(context.store, [eventId]);
	return event === undefined ? null : JSON.stringify(event);
}

/** A ping stands outside the sequence of events: it has no id. */
function* pingBody(
	context: ServiceContext,
	agentId: string,
	at: number,
): Task<string> {
	const agent = yield* findAgent(context, agentId);
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
