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
			// What a sink throws is swallowed: this ends the test, or the whole run.
			queueMicrotask(() => requireNoSecrets(`${message} ${JSON.stringify(properties)}`));
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
