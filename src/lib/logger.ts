type Write = (
	message: string,
	fields?: Readonly<Record<string, unknown>>,
) => void;

/** A log, with a function for each level. Each call writes one line. */
export interface Logger {
	readonly info: Write;
	readonly warn: Write;
	readonly error: Write;
}
