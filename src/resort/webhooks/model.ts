import { type Static, Type } from "@sinclair/typebox";
import { eventTypes } from "../events/publish.ts";
import {
	Answer,
	Choice,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
	Uuid,
} from "../schemas.ts";

/** The longest URL. */
const MAX_URL_LENGTH = 2_048;

/** The most agents that one webhook names. */
const MAX_AGENTS = 1_000;

/** A subscription. `types` and `agentIds` are null where it hears of all types, or of everybody. */
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

/** What was sent: the newest attempt, and when the next one is due. */
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

/** The body of POST /api/webhooks. */
export const CreateWebhookBody = Type.Object({
	url: Text(1, MAX_URL_LENGTH),
	types: OptionalField(
		Type.Array(Choice(...eventTypes), { maxItems: eventTypes.length }),
	),
	agentIds: OptionalField(Type.Array(Uuid, { maxItems: MAX_AGENTS })),
});
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;

/** The answer of POST /api/webhooks; the secret is told this once. */
export const CreateWebhookAnswer = Answer({
	webhook: WebhookInfo,
	secret: Type.String(),
});

/** One of the caller's webhooks. */
export const WebhookAnswer = Answer({ webhook: WebhookInfo });
/** All of them. */
export const WebhooksAnswer = Answer({ webhooks: Type.Array(WebhookInfo) });
/** What was or will be sent. */
export const DeliveryAnswer = Answer({ delivery: DeliveryInfo });
/** The newest of them. */
export const DeliveriesAnswer = Answer({
	deliveries: Type.Array(DeliveryInfo),
});
