import { configureSync, getLogger, type Logger } from "@logtape/logtape";
import { requireNoSecrets } from "./secrets.ts";

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
			const message = String(rawMessage);
			lines.get(category[1] ?? "")?.push({ level, message, properties });
			// The logger ignores errors that a sink throws, so the check runs in a microtask, where an error fails
			// the test.
			queueMicrotask(() => requireNoSecrets(`${message} ${JSON.stringify(properties)}`));
		},
	},
	loggers: [
		{ category: "test", sinks: ["memory"], lowestLevel: "debug" },
		{ category: ["logtape", "meta"], sinks: [], lowestLevel: "fatal" },
	],
	reset: true,
});

/** Returns a logger that adds its lines to a list. */
export function memoryLog(into: LogLine[]): Logger {
	const name = String(sinks++);
	lines.set(name, into);
	return getLogger(["test", name]);
}
