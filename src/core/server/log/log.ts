import { LOG_LEVELS, type LogLevelName } from "../../config/settings.ts";
import { toTimestamp } from "../../lib/clock.ts";
import type { LogFields, Logger } from "../../lib/logger.ts";
import { LineWriter } from "./line-writer.ts";

const STDERR = 2;

/** The program's log. */
export interface Log {
	readonly logger: Logger;
	/** Whether the level includes requests. */
	readonly hasRequests: boolean;
	/** Returns the number of lines that were dropped because the reader was too slow. */
	dropped(): number;
	/** Waits until the queued lines are written, but at most one second. Call it before the program exits. */
	close(): Promise<void>;
}

/** Opens the program's log. It writes to stderr without waiting for the reader. */
export function openLog(lowestLevel: LogLevelName, format: LogFormatName): Log {
	const lineOf = (level: string, message: string, fields: LogFields = {}): string =>
		formatLine(format, { timeMs: Date.now(), level, message, fields });
	const writer = new LineWriter(STDERR, (count) => lineOf("WARN", "log lines dropped", { count }));
	const isLogged = (level: LogLevelName) => LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowestLevel);
	return {
		logger: {
			info: (...line) => isLogged("info") && writer.add(lineOf("INFO", ...line)),
			warn: (...line) => isLogged("warning") && writer.add(lineOf("WARN", ...line)),
			error: (...line) => writer.add(lineOf("ERROR", ...line)),
		},
		hasRequests: isLogged("info"),
		dropped: () => writer.dropped,
		close: () => writer.close(),
	};
}

/** A line of the log before it is formatted. */
export interface LogLine {
	readonly timeMs: number;
	readonly level: string;
	readonly message: string;
	readonly fields: LogFields;
}

/** Matches terminal control characters, line separators and changes of the writing direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The formats of `--log-format`. */
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

/** Formats a line with its line break. Escapes control characters. */
export function formatLine(name: LogFormatName, line: LogLine): string {
	return `${logFormats[name](line).replace(UNSAFE, escapeCharacter)}\n`;
}

function toWords(fields: LogFields): string[] {
	return Object.entries(fields).map(([name, value]) => {
		const isWord = typeof value === "string" && /^[^\s"=]+$/.test(value);
		return `${name}=${isWord ? value : JSON.stringify(value)}`;
	});
}

function requestWords(fields: LogFields): unknown[] {
	const { method, route, status, durationMs, ...others } = fields;
	const words = Object.entries(others)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name}=${value}`);
	return [method, route, status, `${durationMs}ms`, ...words];
}

function escapeCharacter(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
