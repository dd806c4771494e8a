import type { Feature } from "../../core/commands/feature.ts";

/** Describes the resort to agents and programs: guides, OpenAPI, discovery. */
export const documents = {
	loadOperations: async () => ({
		operations: (await import("./documentation/operations.ts")).documentOperations,
	}),
	load: async (config) => (await import("./part.ts")).documentsPart(config["keep-events"]),
} satisfies Feature;
