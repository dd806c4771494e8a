import { configureSync, getLogger, type Logger, type LogRecord } from "@logtape/logtape";
import type { LogLevelName } from "../../config/settings.ts";
import { toTimestamp } from "../../lib/clock.ts";
import { LineWriter } from "./line-writer.ts";

const STDERR = 2;

/** The program's log. */
export interface Log {
	readonly logger: Logger;
	/** Logs a request after its response. Does not escape the fields. Null if the level excludes requests. */
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

/** A line of the log before it is formatted. */
export interface LogLine {
	readonly timeMs: number;
	readonly level: string;
	readonly message: string;
	/** The fields of the line. Undefined values are omitted. */
	readonly fields: Readonly<Record<string, unknown>>;
}

/** Matches terminal control characters, line separators and changes of the writing direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The formats of `--log-format`. The logging library's own formatters take 4 us for each line. */
const logFormats = {
	/** A JSON object. */
	json: ({ timeMs, level, message, fields }: LogLine) =>
		JSON.stringify({ "@timestamp": toTimestamp(timeMs), level, message, logger: "resort", ...fields }),
	/** For people: the time, level and message, followed by `name=value`. */
	text({ timeMs, level, message, fields }: LogLine) {
		const words = message === "request" ? requestWords(fields) : toWords(fields);
		return [toTimestamp(timeMs), level, message, ...words].join(" ");
	},
} as const satisfies Record<string, (line: LogLine) => string>;

/** The name of a format. */
export type LogFormatName = keyof typeof logFormats;

/** Formats a record of the logging library as a line with its line break. Escapes control characters. */
export function formatRecord(name: LogFormatName, record: LogRecord): string {
	const { timestamp, level, message, properties } = record;
	const line = logFormats[name]({
		timeMs: timestamp,
		level: level === "warning" ? "WARN" : level.toUpperCase(),
		message: message.join(""),
		fields: properties,
	});
	return `${line.replace(UNSAFE, escapeCharacter)}\n`;
}

function toWords(fields: LogLine["fields"]): string[] {
	return Object.entries(fields).flatMap(([name, value]) => {
		if (value === undefined) return [];
		const isWord = typeof value === "string" && /^[^\s"=]+$/.test(value);
		return `${name}=${isWord ? value : JSON.stringify(value)}`;
	});
}

function requestWords(fields: LogLine["fields"]): unknown[] {
	const { method, route, status, durationMs, ...others } = fields;
	const words = Object.entries(others)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name}=${value}`);
	return [method, route, status, `${durationMs}ms`, ...words];
}

function escapeCharacter(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
