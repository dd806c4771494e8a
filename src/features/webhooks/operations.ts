import { Type } from "@sinclair/typebox";
import { HOUR_MS } from "../../core/lib/clock.ts";
import { DoneAnswer } from "../../core/resort/agents/model.ts";
import { type Limit, operation } from "../../core/resort/operation.ts";
import { tagged } from "../../core/resort/operations.ts";
import { Answer } from "../../core/resort/schemas.ts";
import { CreateWebhookBody, DeliveryInfo, WebhookInfo } from "./model.ts";
import { deliveriesOfWebhook, webhooksOfAgent } from "./queries.ts";
import {
	createWebhook,
	getWebhook,
	redeliver,
	removeWebhook,
	testWebhook,
	toDeliveryInfo,
	toWebhookInfo,
} from "./service.ts";

/** The rate limit for pings and repeated deliveries that an agent requests. */
const testLimit: Limit = { name: "test-webhook", limit: 20, windowMs: HOUR_MS, key: "agent" };

const oneDelivery = Answer({ delivery: DeliveryInfo });

/** The operation that lists the caller's webhooks. */
export const listWebhooks = operation("GET /api/webhooks", {
	id: "listWebhooks",
	summary: "The caller's webhooks",
	description: "Newest first, including those that have ended.",
	answers: { 200: Answer({ webhooks: Type.Array(WebhookInfo) }) },
	*read({ context, caller }) {
		const rows = yield* webhooksOfAgent(context.store).all({ agentId: caller.agent.id });
		return { webhooks: rows.map(toWebhookInfo) };
	},
});

/** Operations for webhooks. Messages are signed as in https://www.standardwebhooks.com. */
export const webhookOperations = tagged(
	{ name: "Webhooks", description: "Events that the resort sends to a program of the agent." },
	[
		operation("POST /api/webhooks", {
			id: "createWebhook",
			summary: "Send events to a URL",
			description:
				"A `webhook.ping` is sent there immediately and must be answered with 2xx. Each message is an event, " +
				"signed with `secret` as Standard Webhooks specifies; the secret is shown only once. Without " +
				"`agentIds`, the webhook receives public events and the caller's private events; with them, the " +
				"public events of those agents. Without `types`, it receives all types.",
			limit: { name: "create-webhook", limit: 10, windowMs: HOUR_MS, key: "agent" },
			adds: true,
			body: CreateWebhookBody,
			answers: { 201: Answer({ webhook: WebhookInfo, secret: Type.String() }) },
			run: ({ context, caller, address, body }) => createWebhook(context, caller, address(), body),
		}),
		listWebhooks,
		operation("GET /api/webhooks/:id", {
			id: "getWebhook",
			summary: "One of the caller's webhooks",
			description:
				"`failure` is the reason why the newest attempt failed. `ended`: the receiver returned 410, " +
				"or the agent got a new key. `disabled`: all attempts of five days have failed.",
			answers: { 200: Answer({ webhook: WebhookInfo }) },
			*read({ context, caller, params }) {
				const webhook = yield* getWebhook(context, caller.agent.id, params.id);
				return { webhook: toWebhookInfo(webhook) };
			},
		}),
		operation("DELETE /api/webhooks/:id", {
			id: "deleteWebhook",
			summary: "Delete a webhook",
			description: "Nothing more is sent, including pending deliveries.",
			answers: { 200: DoneAnswer },
			*change({ context, caller, params }) {
				yield* removeWebhook(context, caller.agent.id, params.id);
				return {};
			},
		}),
		operation("GET /api/webhooks/:id/deliveries", {
			id: "listDeliveries",
			summary: "The deliveries of a webhook",
			description:
				"The newest 100, newest first: the newest attempt of each, the status of its response, and the time of the next one.",
			answers: { 200: Answer({ deliveries: Type.Array(DeliveryInfo) }) },
			*read({ context, caller, params }) {
				const webhook = yield* getWebhook(context, caller.agent.id, params.id);
				const rows = yield* deliveriesOfWebhook(context.store).all({ webhookId: webhook.id });
				return { deliveries: rows.map(toDeliveryInfo) };
			},
		}),
		operation("POST /api/webhooks/:id/deliveries/:deliveryId/redeliver", {
			id: "redeliver",
			summary: "Repeat a delivery",
			description: "It is sent soon, with the same `webhook-id`.",
			limit: testLimit,
			answers: { 200: oneDelivery },
			*change({ context, caller, params: { id, deliveryId } }) {
				return { delivery: yield* redeliver(context, caller.agent.id, id, deliveryId) };
			},
		}),
		operation("POST /api/webhooks/:id/test", {
			id: "testWebhook",
			summary: "Send a ping to a webhook",
			limit: testLimit,
			description: "It is sent once, immediately; the response contains the result.",
			answers: { 200: oneDelivery },
			run: async ({ context, caller, params }) => ({
				delivery: await testWebhook(context, caller, params.id),
			}),
		}),
	],
);
