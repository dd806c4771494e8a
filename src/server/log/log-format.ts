import { getJsonLinesFormatter, type LogRecord } from "@logtape/logtape";
import type { Exchange } from "../../http/exchange.ts";
import { toTimestamp } from "../../lib/clock.ts";

/** How the lines of a log are written; each ends with its line's end. */
export interface LogFormat {
	record(record: LogRecord): string;
	/**
	 * @param timeMs when the request was answered
	 * @param address of its caller; null when it is not logged
	 */
	exchange(exchange: Exchange, timeMs: number, address: string | null): string;
}

/** What a terminal could take for a command, and what could pass for the end of a line or turn text round. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const toJson = getJsonLinesFormatter({ properties: "flatten" });

let timestamp = { timeMs: 0, text: "" };

/** As {@link toTimestamp}; many requests are answered in one millisecond. */
function timeOf(timeMs: number): string {
	if (timestamp.timeMs !== timeMs) {
		timestamp = { timeMs, text: toTimestamp(timeMs) };
	}
	return timestamp.text;
}

/** The formats of `--log-format`, by name. */
export const logFormats = {
	/** One JSON object a line. */
	json: {
		record: (record) => `${toOneJsonLine(record)}\n`,
		// By hand, as it is made for every request; the caller chose nothing that needs to be escaped.
		exchange: (
			{ method, route, status, durationMs, agentId, requestId, refused },
			timeMs,
			address,
		) =>
			`{"@timestamp":"${timeOf(timeMs)}","level":"INFO","message":"request","logger":"resort","method":"${method}","route":"${route}","status":${status},"durationMs":${roundToUs(durationMs)}${agentId === null ? "" : `,"agentId":"${agentId}"`}${address === null ? "" : `${refused === null ? "" : `,"refused":${refused}`},"address":"${address}"`},"requestId":"${requestId}"}\n`,
	},
	/** For people: time, level, message, then `name=value`. */
	text: {
		record(record) {
			const {
				"@timestamp": time,
				level,
				message,
				logger: _,
				...properties
			} = JSON.parse(toJson(record));
			const words = [time, level, message, ...toWords(properties)];
			return `${words.map((word) => escapeUnsafe(String(word))).join(" ")}\n`;
		},
		exchange: (
			{ method, route, status, durationMs, agentId, requestId, refused },
			timeMs,
			address,
		) =>
			`${timeOf(timeMs)} INFO request ${method} ${route} ${status} ${roundToUs(durationMs)}ms${agentId === null ? "" : ` agentId=${agentId}`}${address === null ? "" : `${refused === null ? "" : ` refused=${refused}`} address=${address}`} requestId=${requestId}\n`,
	},
} as const satisfies Record<string, LogFormat>;

/** The name of a format. */
export type LogFormatName = keyof typeof logFormats;

/** JSON escapes the control characters below a space by itself. */
function toOneJsonLine(record: LogRecord): string {
	return escapeUnsafe(toJson(record).trimEnd());
}

function toWords(properties: Readonly<Record<string, unknown>>): string[] {
	return Object.entries(properties).map(([name, value]) => {
		const isWord = typeof value === "string" && /^[^\s"=]+$/.test(value);
		return `${name}=${isWord ? value : JSON.stringify(value)}`;
	});
}

function escapeUnsafe(text: string): string {
	return text.replace(
		UNSAFE,
		(character) =>
			`\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

function roundToUs(durationMs: number): number {
	return Math.round(durationMs * 1000) / 1000;
}
