import { configureSync, getLogger, type Logger } from "@logtape/logtape";
import type { LogLevelName } from "../../config/settings.ts";
import { LineWriter } from "./line-writer.ts";
import { formatRecord, type LogFormatName, type LogLine, logFormats } from "./log-format.ts";

const STDERR = 2;

/** The program's log. */
export interface Log {
	readonly logger: Logger;
	/** Logs a request after its response, without escaping the fields; null if the level excludes requests. */
	readonly request: ((fields: LogLine["fields"]) => void) | null;
	/** Returns the number of lines that were dropped because the reader was too slow. */
	dropped(): number;
	/** Waits until the queued lines are written, but at most one second. Call it before the program exits. */
	close(): Promise<void>;
}

/** Opens the program's log. It writes to stderr without waiting for the reader. */
export function openLog(lowestLevel: LogLevelName, format: LogFormatName): Log {
	const lineOf = (level: string, message: string, fields: LogLine["fields"]): string =>
		`${logFormats[format]({ timeMs: Date.now(), level, message, fields })}\n`;
	const writer = new LineWriter(STDERR, (count) => lineOf("WARN", "log lines dropped", { count }));
	configureSync({
		sinks: { stderr: (record) => writer.add(formatRecord(format, record)) },
		loggers: [
			{ category: "resort", sinks: ["stderr"], lowestLevel },
			{ category: ["logtape", "meta"], sinks: ["stderr"], lowestLevel: "warning" },
		],
	});
	const logger = getLogger("resort");
	return {
		logger,
		request: logger.isEnabledFor("info") ? (fields) => writer.add(lineOf("INFO", "request", fields)) : null,
		dropped: () => writer.dropped,
		close: () => writer.close(),
	};
}
