import type { Feature, Part } from "../../core/commands/feature.ts";
import { endWebhooks } from "./attempt-record.ts";
import { settings } from "./settings.ts";

/** The part of a resort whose webhooks are off. */
export const off: Part = {
	pathHints: [
		{
			paths: /^\/api\/webhooks/i,
			hint: "Webhooks are off at this resort: its host can enable them with --webhooks. GET /api/events returns events without them.",
		},
	],
};

/** The feature that sends events to the URLs of webhooks. */
export const webhooks = {
	settings,
	endDependents: endWebhooks,
	loadOperations: async () => ({ operations: (await import("./operations.ts")).webhookOperations }),
	loadTables: () => import("./tables.ts"),
	loadPersonalTables: async () => (await import("./queries.ts")).personalTables,
	async load(config) {
		if (!config.webhooks) return off;
		const { webhooksPart } = await import("./part.ts");
		const { systemNetwork } = await import("./delivery-attempt.ts");
		return webhooksPart({ network: systemNetwork(), allowed: config["webhooks-allow"] });
	},
} satisfies Feature<typeof settings>;
