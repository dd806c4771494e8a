/** A metric that is read when it is exported, named as https://prometheus.io/docs/practices/naming/ recommends. */
export interface Metric {
	/** Ends with `_total` if the value only rises. */
	readonly name: string;
	readonly help: string;
	/** The name of the label, if it has one. The label's values are the keys of the metric's value. */
	readonly label: string | undefined;
	/** @throws if the value cannot be read now */
	readonly read: () => MetricValue | Promise<MetricValue>;
}

/** The value of a metric: a number, or one for each value of its label. */
export type MetricValue = number | Readonly<Record<string, number>>;

/** Creates a metric. */
export function metric(
	name: string,
	help: string,
	read: Metric["read"],
	label?: string,
): Metric {
	return { name, help, read, label };
}
