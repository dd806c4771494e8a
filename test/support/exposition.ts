import { freePorts } from "./nginx.ts";
import { until } from "./until.ts";

/** What a scrape gave: the type of every metric, and every sample by its name with its labels. */
export interface Exposition {
	readonly types: ReadonlyMap<string, string>;
	readonly samples: ReadonlyMap<string, number>;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const SAMPLE = new RegExp(
	`^(${NAME})(\\{${LABEL}(?:,${LABEL})*\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|NaN|[+-]Inf)$`,
);

/** Reads the text format of Prometheus strictly: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function readExposition(text: string): Exposition {
	if (!text.endsWith("\n")) throw new Error("no line end at the end");
	const types = new Map<string, string>();
	const samples = new Map<string, number>();
	let helped = "";
	let current = "";
	for (const line of text.split("\n")) {
		const refuse = () => new Error(`not in the format: ${line}`);
		if (line === "") continue;
		const help = new RegExp(`^# HELP (${NAME}) \\S.*$`).exec(line);
		const type = new RegExp(
			`^# TYPE (${NAME}) (counter|gauge|histogram)$`,
		).exec(line);
		if (help !== null) {
			helped = help[1] ?? "";
			if (types.has(helped)) throw refuse();
		} else if (type !== null) {
			current = type[1] ?? "";
			if (current !== helped || types.has(current)) throw refuse();
			types.set(current, type[2] ?? "");
		} else {
			const [, name = "", labels = "", value] = SAMPLE.exec(line) ?? [];
			const family =
				types.get(current) === "histogram"
					? name.replace(/_(bucket|sum|count)$/, "")
					: name;
			if (family !== current || samples.has(name + labels)) throw refuse();
			samples.set(name + labels, Number(value?.replace("Inf", "Infinity")));
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
