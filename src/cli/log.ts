import { writeSync } from "node:fs";
import {
	configureSync,
	getJsonLinesFormatter,
	getLogger,
	type Logger,
} from "@logtape/logtape";

const STDERR = 2;

/** Sends the program's log to stderr, one JSON object a line. */
export function openLog(): Logger {
	const format = getJsonLinesFormatter({ properties: "flatten" });
	configureSync({
		sinks: {
			stderr: (record) => {
				writeSync(STDERR, format(record));
			},
		},
		loggers: [
			{ category: "resort", sinks: ["stderr"], lowestLevel: "info" },
			{
				category: ["logtape", "meta"],
				sinks: ["stderr"],
				lowestLevel: "warning",
			},
		],
	});
	return getLogger("resort");
}
