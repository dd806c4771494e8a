/** A metric whose value is read when it is exported (https://prometheus.io/docs/practices/naming/). */
export interface Metric {
	/** Ends with `_total` if the value never decreases. */
	readonly name: string;
	readonly help: string;
	/** The name of the label, to whose values `read` then maps numbers; undefined for a metric without one. */
	readonly label: string | undefined;
	/** @throws Error if the value cannot be read at the moment */
	readonly read: () => MetricValue | Promise<MetricValue>;
}

/** The value of a metric: a number, or a number for each value of the label. */
export type MetricValue = number | Readonly<Record<string, number>>;

/** Creates a metric. */
export function metric(name: string, help: string, read: Metric["read"], label?: string): Metric {
	return { name, help, read, label };
}
