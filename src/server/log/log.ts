import type { LogLevelName } from "../../config/settings.ts";
import type { Logger } from "../../lib/logger.ts";
import { LineWriter } from "./line-writer.ts";
import { formatLine, type LogFormatName } from "./log-format.ts";

const STDERR = 2;

/** The program's log. */
export interface Log {
	readonly logger: Logger;
	/** Whether the log level includes the lines of requests. */
	readonly hasRequests: boolean;
	/** Returns the number of lines that were dropped because the reader was too slow. */
	dropped(): number;
	/** Waits until the queued lines are written, but at most one second. Call it before the program exits. */
	close(): Promise<void>;
}

/** The log levels, from the lowest to the highest. */
const levels: readonly LogLevelName[] = ["debug", "info", "warning", "error"];

/** Opens the program's log. It writes to stderr without waiting for the reader. */
export function openLog(lowestLevel: LogLevelName, format: LogFormatName): Log {
	const lineOf = (level: string, message: string, fields = {}) =>
		formatLine(format, { timeMs: Date.now(), level, message, fields });
	const writer = new LineWriter(STDERR, (count) =>
		lineOf("WARN", "log lines dropped", { count }),
	);
	const isLogged = (level: LogLevelName) =>
		levels.indexOf(level) >= levels.indexOf(lowestLevel);
	const at = (level: LogLevelName, name: string): Logger["info"] =>
		isLogged(level)
			? (message, fields) => writer.add(lineOf(name, message, fields))
			: () => {};
	return {
		logger: {
			info: at("info", "INFO"),
			warn: at("warning", "WARN"),
			error: at("error", "ERROR"),
		},
		hasRequests: isLogged("info"),
		dropped: () => writer.dropped,
		close: () => writer.close(),
	};
}
