import type { Feature } from "../../core/commands/feature.ts";

/** Describes the resort to agents and programs: guides, OpenAPI, discovery. */
export const documents = {
	async loadOperations() {
		const module = await import("./documentation/operations.ts");
		return { operations: module.documentOperations, unlisted: module.markdownOperations };
	},
	load: async (config) => (await import("./part.ts")).documentsPart(config["keep-events"]),
} satisfies Feature;
