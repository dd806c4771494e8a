import type { Feature } from "../../core/commands/feature.ts";
import { localAddress } from "../../core/server/ports.ts";
import { settings } from "./settings.ts";

/** Serves metrics to Prometheus, at a separate address. */
export const metrics = {
	settings,
	conflicts: ({ metrics, host, port, "metrics-host": otherHost, "metrics-port": other }) => [
		[
			metrics && port !== 0 && port === other && localAddress(host, port) === localAddress(otherHost, port),
			`--metrics-port must differ from --port ${port}`,
		],
	],
	async load(config) {
		if (!config.metrics) return {};
		const { metricsPart } = await import("./metrics-listener.ts");
		return metricsPart(config["metrics-host"], config["metrics-port"]);
	},
	loadExamples: async () => (await import("./examples.ts")).examples,
} satisfies Feature<typeof settings>;
