import type { Feature } from "../../core/commands/feature.ts";
import { endWebhooks } from "./attempt-record.ts";
import { settings } from "./settings.ts";

/** Sends events to programs. */
export const webhooks = {
	settings,
	endDependents: endWebhooks,
	hintsIfOff: () => [
		{
			paths: /^\/api\/webhooks/i,
			hint: "Webhooks are off at this resort: its host can enable them with --webhooks. GET /api/events returns events without them.",
		},
	],
	loadOperations: async () => ({ operations: (await import("./operations.ts")).webhookOperations }),
	loadTables: () => import("./tables.ts"),
	async load(config) {
		if (!config.webhooks) return null;
		const { webhooksPart } = await import("./part.ts");
		const { systemNetwork } = await import("./webhook-network.ts");
		return webhooksPart({ network: systemNetwork(), allowed: config["webhooks-allow"] });
	},
} satisfies Feature<typeof settings>;
