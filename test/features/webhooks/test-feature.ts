import type { WebhookOptions } from "../../../src/features/webhooks/delivery-attempt.ts";
import { off } from "../../../src/features/webhooks/feature.ts";
import type { DeliveryInfo, WebhookInfo } from "../../../src/features/webhooks/model.ts";
import { webhooksPart } from "../../../src/features/webhooks/part.ts";
import type { WebhookSender } from "../../../src/features/webhooks/webhook-sender.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** The options of webhooks, which are off by default. Nothing is sent before the sender is started. */
		readonly webhooks?: WebhookOptions;
	}
	interface TestResort {
		/** The sender of webhooks; null if they are off. */
		readonly sender: WebhookSender | null;
	}
}

declare module "../../support/body.ts" {
	interface Body {
		readonly deliveries: DeliveryInfo[];
		readonly delivery: DeliveryInfo;
		readonly webhook: WebhookInfo;
		readonly webhooks: WebhookInfo[];
	}
}

/** Adds webhooks to the resorts of tests. */
export const webhooks: TestFeature = {
	part: ({ webhooks }) => (webhooks === undefined ? off : webhooksPart(webhooks)),
	columnsWithoutTexts: ["webhooks.state"],
	privateTables: ["webhooks"],
	members: ({ context }) => ({ sender: context.webhooks ?? null }),
};
