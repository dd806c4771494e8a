import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** Serves metrics to Prometheus, at an address of its own. */
export const metrics = {
	settings,
	loadExamples: async () => (await import("./examples.ts")).examples,
} satisfies Feature<typeof settings>;
