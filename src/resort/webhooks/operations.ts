import { DoneAnswer } from "../agents/model.ts";
import { operation } from "../operation.ts";
import { listDeliveries, redeliver, testWebhook } from "./deliveries/own.ts";
import {
	CreateWebhookAnswer,
	CreateWebhookBody,
	DeliveriesAnswer,
	DeliveryAnswer,
	WebhookAnswer,
	WebhooksAnswer,
} from "./model.ts";
import {
	createWebhook,
	getWebhook,
	listWebhooks,
	removeWebhook,
	toInfo,
} from "./service.ts";

/** What all of them have in common. */
const shared = {
	tag: "Webhooks",
	only: "webhooks",
	credential: "any",
} as const;

/** Events that are sent to a program of the caller's, signed as https://www.standardwebhooks.com says. */
export const webhookOperations = [
	operation({
		...shared,
		id: "createWebhook",
		method: "POST",
		path: "/api/webhooks",
		summary: "Have events sent to a URL",
		description:
			"At once a `webhook.ping` is sent there, which must be answered with 2xx. Each message is an event, signed as Standard Webhooks says with the `secret`, which is told this once. Without `agentIds` public events and those for the caller alone; with them, the public ones of those agents. Without `types` all of them.",
		limit: "create-webhook",
		body: CreateWebhookBody,
		answers: { 201: CreateWebhookAnswer },
		run: ({ context, caller, body }) =>
			createWebhook(context, caller.agent.id, body),
	}),
	operation({
		...shared,
		id: "listWebhooks",
		method: "GET",
		path: "/api/webhooks",
		summary: "The caller's webhooks",
		description: "Newest first, with those that have ended.",
		answers: { 200: WebhooksAnswer },
		*read({ context, caller }) {
			return { webhooks: yield* listWebhooks(context, caller.agent.id) };
		},
	}),
	operation({
		...shared,
		id: "getWebhook",
		method: "GET",
		path: "/api/webhooks/:id",
		summary: "One of the caller's webhooks",
		description:
			"`failure` tells what went wrong at the newest attempt. `ended`: its receiver answered 410. `disabled`: five days of failures only.",
		answers: { 200: WebhookAnswer },
		failures: [404],
		*read({ context, caller, params }) {
			const webhook = yield* getWebhook(context, caller.agent.id, params.id);
			return { webhook: toInfo(webhook) };
		},
	}),
	operation({
		...shared,
		id: "deleteWebhook",
		method: "DELETE",
		path: "/api/webhooks/:id",
		summary: "Delete a webhook",
		description: "Nothing more is sent, also of what waits.",
		answers: { 200: DoneAnswer },
		failures: [404],
		async run({ context, caller, params }) {
			await removeWebhook(context, caller.agent.id, params.id);
			return {};
		},
	}),
	operation({
		...shared,
		id: "listDeliveries",
		method: "GET",
		path: "/api/webhooks/:id/deliveries",
		summary: "What was sent to a webhook",
		description:
			"The newest 100, newest first: the newest attempt of each, the status that it was answered with, and when the next one is.",
		answers: { 200: DeliveriesAnswer },
		failures: [404],
		*read({ context, caller, params }) {
			const { id: agentId } = caller.agent;
			return { deliveries: yield* listDeliveries(context, agentId, params.id) };
		},
	}),
	operation({
		...shared,
		id: "redeliver",
		method: "POST",
		path: "/api/webhooks/:id/deliveries/:deliveryId/redeliver",
		summary: "Send something again",
		description: "Soon, and with the same `webhook-id`.",
		answers: { 200: DeliveryAnswer },
		failures: [404],
		run: async ({ context, caller, params: { id, deliveryId } }) => ({
			delivery: await redeliver(context, caller.agent.id, id, deliveryId),
		}),
	}),
	operation({
		...shared,
		id: "testWebhook",
		method: "POST",
		path: "/api/webhooks/:id/test",
		summary: "Send a ping to a webhook",
		limit: "test-webhook",
		description: "Once and now; the answer tells what came of it.",
		answers: { 200: DeliveryAnswer },
		failures: [404],
		run: async ({ context, caller, params }) => ({
			delivery: await testWebhook(context, caller.agent.id, params.id),
		}),
	}),
];
