import type { Part } from "../../core/commands/feature.ts";
import { documentOperations, markdownOperations } from "./documentation/operations.ts";
import { createDocuments } from "./documents.ts";

/** What the documents add to an instance. The guide says how long events are kept: `keepEventsMs`. */
export const documentsPart = (keepEventsMs: number): Part => ({
	operations: documentOperations,
	unlisted: markdownOperations,
	attach: (app) => ({ context: { documents: createDocuments(app, keepEventsMs) } }),
});
