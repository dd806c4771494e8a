import { getJsonLinesFormatter, type LogRecord } from "@logtape/logtape";
import type { CompletedRequest } from "../../http/completed-request.ts";
import { toTimestamp } from "../../lib/clock.ts";

/** Formats the lines of a log, each with its line break. */
export interface LogFormat {
	record(record: LogRecord): string;
	/**
	 * Formats a request without the logging library, which takes 4 us a record.
	 * @param timeMs the time of its response
	 * @param address of its caller; null if it is not logged
	 */
	exchange(
		exchange: CompletedRequest,
		timeMs: number,
		address: string | null,
	): string;
}

/** Terminal control characters, line separators and changes of the writing direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const toJson = getJsonLinesFormatter({ properties: "flatten" });

/** The formats of `--log-format`, by name. */
export const logFormats = {
	/** One JSON object a line. */
	json: {
		// JSON escapes the characters below U+0020, so only the others are left.
		record: (record) => `${escapeUnsafe(toJson(record).trimEnd())}\n`,
		// The caller chose none of these values, so none needs more escaping.
		exchange: (exchange, timeMs, address) =>
			`${JSON.stringify({
				"@timestamp": toTimestamp(timeMs),
				level: "INFO",
				message: "request",
				logger: "resort",
				...fieldsOf(exchange, address),
			})}\n`,
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
		exchange(exchange, timeMs, address) {
			const { method, route, status, durationMs, ...fields } = fieldsOf(
				exchange,
				address,
			);
			const words = Object.entries(fields)
				.filter(([, value]) => value !== undefined)
				.map(([name, value]) => ` ${name}=${value}`);
			return `${toTimestamp(timeMs)} INFO request ${method} ${route} ${status} ${durationMs}ms${words.join("")}\n`;
		},
	},
} as const satisfies Record<string, LogFormat>;

/** The name of a format. */
export type LogFormatName = keyof typeof logFormats;

function fieldsOf(exchange: CompletedRequest, address: string | null) {
	const { method, route, status, agentId, refused, requestId } = exchange;
	return {
		...{ method, route, status },
		durationMs: Math.round(exchange.durationMs * 1000) / 1000,
		agentId: agentId ?? undefined,
		refused: address === null ? undefined : (refused ?? undefined),
		address: address ?? undefined,
		requestId,
	};
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
