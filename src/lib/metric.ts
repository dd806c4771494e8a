/** A metric that is read when it is exported, named as https://prometheus.io/docs/practices/naming/ recommends. */
export interface Metric {
	readonly kind: "counter" | "gauge";
	readonly name: string;
	readonly help: string;
	/** The name of its label, whose values are the keys of the metric's value. */
	readonly label: string | undefined;
	/** @throws if the value cannot be read now */
	readonly read: () => MetricValue | Promise<MetricValue>;
}

/** The value of a metric: a number, or one for each value of its label. */
export type MetricValue = number | Readonly<Record<string, number>>;

function metricOf(kind: Metric["kind"]) {
	return (
		name: string,
		help: string,
		read: Metric["read"],
		label?: string,
	): Metric => ({ kind, name, help, read, label });
}

/** Creates a metric whose value rises and falls. */
export const gauge = metricOf("gauge");

/** Creates a metric whose value only rises. */
export const counter = metricOf("counter");
