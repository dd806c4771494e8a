import type { Part } from "../../core/commands/feature.ts";
import { documentOperations, markdownOperations } from "./documentation/operations.ts";
import { createDocuments } from "./documents.ts";

/**
 * Returns what the documents add to an instance.
 * @param keepEventsMs how long events are kept, which the guide mentions
 */
export const documentsPart = (keepEventsMs: number): Part => ({
	operations: documentOperations,
	unlisted: markdownOperations,
	attach: (app) => ({ context: { documents: createDocuments(app, keepEventsMs) } }),
});
