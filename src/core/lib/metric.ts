/** A metric whose value is read when it is exported. */
export interface Metric {
	/** The name. Ends with `_total` if the value never decreases (prometheus.io/docs/practices/naming). */
	readonly name: string;
	readonly help: string;
	/** The name of the metric's label. If there is one, `read` returns a number for each value of the label. */
	readonly label: string | undefined;
	/** Returns null if there is no value. @throws Error if the value cannot be read at the moment */
	readonly read: () => MetricValue | null | Promise<MetricValue>;
}

/** The value of a metric: a number, or a number for each value of the label. */
type MetricValue = number | Readonly<Record<string, number>>;

/** Creates a metric. */
export function metric(name: string, help: string, read: Metric["read"], label?: string): Metric {
	return { name, help, read, label };
}
