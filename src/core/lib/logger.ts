/** The fields of a log line. Undefined values are omitted. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log. The functions are named after the levels of their lines. */
export type Logger = Record<"info" | "warn" | "error", (message: string, fields?: LogFields) => void>;
