import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** Serves metrics to Prometheus, at a separate address. */
export const metrics = {
	settings,
	async load(config) {
		if (!config.metrics) return {};
		const { metricsPart } = await import("./metrics-listener.ts");
		return metricsPart(config["metrics-host"], config["metrics-port"]);
	},
	loadExamples: async () => (await import("./examples.ts")).examples,
} satisfies Feature<typeof settings>;
