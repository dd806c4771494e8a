import { writeSync } from "node:fs";
import {
	configureSync,
	getJsonLinesFormatter,
	getLogger,
	type Logger,
	type LogLevel,
} from "@logtape/logtape";

const STDERR = 2;

/**
 * Sends the program's log to stderr, one JSON object a line.
 * @param lowestLevel what is less than this is not told
 */
export function openLog(lowestLevel: LogLevel): Logger {
	const format = getJsonLinesFormatter({ properties: "flatten" });
	configureSync({
		sinks: {
			stderr: (record) => {
				writeSync(STDERR, format(record));
			},
		},
		loggers: [
			{ category: "resort", sinks: ["stderr"], lowestLevel },
			{
				category: ["logtape", "meta"],
				sinks: ["stderr"],
				lowestLevel: "warning",
			},
		],
	});
	return getLogger("resort");
}
