import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { eventTypes } from "../../core/resort/events/publish.ts";
import { Choice, mustBe, Nullable, OptionalField, Text, Timestamp, Uuid } from "../../core/resort/schemas.ts";
import type { webhookDeliveries, webhooks } from "./tables.ts";

const MAX_URL_LENGTH = 2_048;

const MAX_AGENTS = 1_000;

/** A row of the table of webhooks. */
export type Webhook = typeof webhooks.$inferSelect;

/** A row of the table of deliveries. */
export type Delivery = typeof webhookDeliveries.$inferSelect;

/** A message that is due. `attempt` is the number of attempts made so far. */
export type Due = Pick<Delivery, "id" | "eventId" | "createdAt" | "attempt">;

/** The result of an attempt. */
export interface Outcome {
	/** Null if there was no response. */
	readonly status: number | null;
	/** A short reason; null for a 2xx response. */
	readonly failure: string | null;
	/** The delay requested by the receiver; 0 if it requested none. */
	readonly retryAfterMs: number;
}

/** A webhook. Null in `types` stands for all event types, and null in `agentIds` for all agents. */
export const WebhookInfo = Type.Object(
	{
		id: Uuid,
		url: Type.String(),
		types: Nullable(Type.Array(Choice(...eventTypes))),
		agentIds: Nullable(Type.Array(Uuid)),
		state: Choice("active", "ended", "disabled"),
		createdAt: Timestamp,
		lastDeliveryAt: Nullable(Timestamp),
		failure: Nullable(Type.String()),
	},
	{ title: "WebhookInfo" },
);
export type WebhookInfo = Static<typeof WebhookInfo>;

/** A delivery with its latest attempt and the time of the next one. */
export const DeliveryInfo = Type.Object(
	{
		id: Type.String(),
		eventId: Nullable(Type.String()),
		at: Timestamp,
		attempt: Type.Integer({ minimum: 0 }),
		status: Nullable(Type.Integer()),
		next: Nullable(Timestamp),
	},
	{ title: "WebhookDeliveryInfo" },
);
export type DeliveryInfo = Static<typeof DeliveryInfo>;

/** A list of what a webhook selects. If it is omitted, the webhook selects everything. */
function Selection<T extends TSchema>(item: T, maxItems: number, what: string) {
	const required = mustBe(`a list of 1 to ${maxItems} ${what}, or omitted for all`);
	return OptionalField(Type.Array(item, { minItems: 1, maxItems, ...required }));
}

/**
 * The body of POST /api/webhooks. Unknown fields are refused, because a webhook with a misspelled `agentIds`
 * or `types` would receive more events than intended.
 */
export const CreateWebhookBody = Type.Object(
	{
		url: Text(1, MAX_URL_LENGTH),
		types: Selection(Choice(...eventTypes), eventTypes.length, "types"),
		agentIds: Selection(Uuid, MAX_AGENTS, "agent ids"),
	},
	{ additionalProperties: false },
);
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;
