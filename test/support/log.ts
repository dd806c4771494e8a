import { configureSync, getLogger, type Logger } from "@logtape/logtape";

/** A line that the program logged. */
export interface LogLine {
	readonly level: string;
	readonly message: string;
	readonly properties: Record<string, unknown>;
}

let sinks = 0;
const lines = new Map<string, LogLine[]>();

configureSync({
	sinks: {
		memory: ({ category, level, rawMessage, properties }) => {
			lines.get(category[1] ?? "")?.push({
				level,
				message: String(rawMessage),
				properties,
			});
		},
	},
	loggers: [
		{ category: "test", sinks: ["memory"], lowestLevel: "debug" },
		{ category: ["logtape", "meta"], sinks: [], lowestLevel: "fatal" },
	],
	reset: true,
});

/** A logger whose lines a test can read. */
export function memoryLog(into: LogLine[]): Logger {
	const name = String(sinks++);
	lines.set(name, into);
	return getLogger(["test", name]);
}
