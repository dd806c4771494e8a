import type { Part } from "../../core/commands/feature.ts";
import { metric } from "../../core/lib/metric.ts";
import { systemRandom } from "../../core/lib/random.ts";
import type { WebhookOptions } from "./delivery-attempt.ts";
import { webhookOperations } from "./operations.ts";
import { WebhookSender } from "./webhook-sender.ts";

/** What webhooks add to an instance. */
export const webhooksPart = (options: WebhookOptions): Part => ({
	operations: webhookOperations,
	attach({ services, eventLog, log }) {
		// Retries have no jitter in a run that must be repeatable.
		const chance = services.random === systemRandom ? Math.random : () => 0;
		const sender = new WebhookSender(services, eventLog, { chance, ...options }, log);
		return {
			context: { webhooks: sender },
			start: () => sender.start(),
			clockMoved: () => sender.clockMoved(),
			stop: () => sender.stop(),
			metrics: [
				metric(
					"resort_webhook_deliveries_total",
					"Webhooks that this instance has sent, by outcome.",
					() => ({ ...sender.tally }),
					"outcome",
				),
				metric(
					"resort_webhook_oldest_undelivered_seconds",
					"How long the oldest undelivered webhook has been due; 0 if there is none.",
					() => sender.oldestSeconds(),
				),
			],
		};
	},
});
