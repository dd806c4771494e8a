import { freePorts } from "../../deploy/nginx.ts";
import { until } from "../../support/until.ts";

/** Reads the samples of the text format of Prometheus, by their names with their labels. */
export function readSamples(text: string): ReadonlyMap<string, number> {
	return new Map(
		[...text.matchAll(/^([^#\s][^{\s]*(?:\{.*\})?) (\S+)$/gm)].map(([, name = "", value]) => [
			name,
			Number(value),
		]),
	);
}

/**
 * Chooses a port for the metrics of an instance. Returns the flags for this port and functions that read the
 * metrics.
 */
export async function prepareMetrics() {
	const [port = 0] = await freePorts(1);
	const url = `http://127.0.0.1:${port}/metrics`;
	const scrape = async () => {
		const response = await fetch(url);
		return readSamples(await response.text());
	};
	/** Returns the numbers of open streams and of waiting calls, separated by a comma. */
	const readers = async () => {
		const samples = await scrape();
		return [samples.get("resort_event_streams_open"), samples.get("resort_calls_waiting")].join();
	};
	return {
		url,
		flags: ["--metrics", "--metrics-port", `${port}`],
		scrape,
		readers,
		untilReaders: (count: string) => until(async () => (await readers()) === count),
	};
}
