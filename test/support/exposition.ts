import { freePorts } from "./nginx.ts";
import { until } from "./until.ts";

/** What a scrape gave: the type of every metric, and every sample by its name with its labels. */
export interface Exposition {
	readonly types: ReadonlyMap<string, string>;
	readonly samples: ReadonlyMap<string, number>;
}

/**
 * Reads the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/).
 * @throws Error with a line that is not in the format, or a sample that stands there twice
 */
export function readExposition(text: string): Exposition {
	const types = new Map<string, string>();
	const samples = new Map<string, number>();
	for (const line of text.split("\n")) {
		if (line === "") continue;
		const [, metric, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
		const [, sample, value = ""] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
		if (metric !== undefined && type !== undefined) {
			types.set(metric, type);
		} else if (sample !== undefined && !samples.has(sample)) {
			samples.set(sample, Number(value.replace("Inf", "Infinity")));
		} else if (!line.startsWith("# HELP ")) {
			throw new Error(`not in the format: ${line}`);
		}
	}
	return { types, samples };
}

/** Chooses a port for the metrics of an instance. Returns the flags for this port and functions that read the metrics. */
export async function prepareMetrics() {
	const [port = 0] = await freePorts(1);
	const url = `http://127.0.0.1:${port}/metrics`;
	const scrape = async () => {
		const response = await fetch(url);
		return readExposition(await response.text()).samples;
	};
	/** The numbers of open streams and of waiting calls, with a comma between them. */
	const readers = async () => {
		const samples = await scrape();
		return [
			samples.get("resort_event_streams_open"),
			samples.get("resort_calls_waiting"),
		].join();
	};
	return {
		url,
		flags: ["--metrics", "--metrics-port", `${port}`],
		scrape,
		readers,
		untilReaders: (count: string) =>
			until(async () => (await readers()) === count),
	};
}
