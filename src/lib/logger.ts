type Write = (
	message: string,
	fields?: Readonly<Record<string, unknown>>,
) => void;

/** A log, with a function for each level. A call adds one line, unless `--log-level` excludes its level. */
export interface Logger {
	readonly info: Write;
	readonly warn: Write;
	readonly error: Write;
}
