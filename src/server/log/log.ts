import { configureSync, getLogger, type Logger } from "@logtape/logtape";
import type { LogLevelName } from "../../config/settings.ts";
import type { Exchange } from "../../http/exchange.ts";
import { LineWriter } from "./line-writer.ts";
import { type LogFormatName, logFormats } from "./log-format.ts";

const STDERR = 2;

/** The program's log. */
export interface Log {
	readonly logger: Logger;
	/**
	 * Logs a request that has been answered, and its caller's address if that is given; null when such lines are below
	 * the log's level.
	 */
	readonly exchange:
		| ((exchange: Exchange, address: string | null) => void)
		| null;
	/** How many lines were dropped because nobody read them. */
	dropped(): number;
	/** Writes what is left, for a second at most; the last thing before the program ends. */
	close(): Promise<void>;
}

/**
 * Sends the program's log to stderr, a line each. Nothing waits for whoever reads it.
 * @param lowestLevel lines below it are not logged
 */
export function openLog(
	lowestLevel: LogLevelName,
	formatName: LogFormatName,
): Log {
	const format = logFormats[formatName];
	const writer = new LineWriter(STDERR, (count) =>
		format.record({
			category: ["resort"],
			level: "warning",
			message: ["log lines dropped"],
			rawMessage: "log lines dropped",
			timestamp: Date.now(),
			properties: { count },
		}),
	);
	configureSync({
		sinks: { stderr: (record) => writer.add(format.record(record)) },
		loggers: [
			{ category: "resort", sinks: ["stderr"], lowestLevel },
			{
				category: ["logtape", "meta"],
				sinks: ["stderr"],
				lowestLevel: "warning",
			},
		],
	});
	const logger = getLogger("resort");
	return {
		logger,
		exchange: logger.isEnabledFor("info")
			? (exchange, address) =>
					writer.add(format.exchange(exchange, Date.now(), address))
			: null,
		dropped: () => writer.dropped,
		close: () => writer.close(),
	};
}
