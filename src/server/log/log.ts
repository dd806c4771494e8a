import { configureSync, getLogger, type Logger } from "@logtape/logtape";
import type { LogLevelName } from "../../config/settings.ts";
import type { CompletedRequest } from "../../http/completed-request.ts";
import { LineWriter } from "./line-writer.ts";
import { type LogFormatName, logFormats } from "./log-format.ts";

const STDERR = 2;

/** The program's log. */
export interface Log {
	readonly logger: Logger;
	/** Logs a request after its response, with its caller's address unless that is null; null if the level excludes it. */
	readonly exchange:
		| ((exchange: CompletedRequest, address: string | null) => void)
		| null;
	/** Returns the number of lines that were dropped because their reader was too slow. */
	dropped(): number;
	/** Writes the remaining lines, for a second at most; called before the program exits. */
	close(): Promise<void>;
}

/** Opens the program's log, which writes to stderr without waiting for its reader. */
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
