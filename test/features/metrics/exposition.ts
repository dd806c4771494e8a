import { freePorts } from "../../deploy/nginx.ts";
import { until } from "../../support/until.ts";

/**
 * Chooses a port for the metrics of an instance. Returns the flags for this port, and functions that read
 * the metrics.
 */
export async function prepareMetrics() {
	const [port = 0] = await freePorts(1);
	const url = `http://127.0.0.1:${port}/metrics`;
	/** Fetches the metrics. Returns the value of each sample by its name and labels, as in `up{a="b"}`. */
	const scrape = async (): Promise<ReadonlyMap<string, number>> => {
		const text = await (await fetch(url)).text();
		const lines = text.matchAll(/^([^#\s][^{\s]*(?:\{.*\})?) (\S+)$/gm);
		return new Map(Array.from(lines, ([, name = "", value]) => [name, Number(value)]));
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
