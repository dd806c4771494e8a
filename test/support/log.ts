import type { Logger } from "../../src/lib/logger.ts";
import { requireNoSecrets } from "./secrets.ts";

/** A line that the program logged. */
export interface LogLine {
	readonly level: string;
	readonly message: string;
	readonly properties: Record<string, unknown>;
}

/** A logger whose lines a test can read. */
export function memoryLog(into: LogLine[]): Logger {
	const at =
		(level: string): Logger["info"] =>
		(message, properties = {}) => {
			into.push({ level, message, properties });
			// The program may catch what the logger throws: this ends the test, or the whole run.
			queueMicrotask(() =>
				requireNoSecrets(`${message} ${JSON.stringify(properties)}`),
			);
		};
	return {
		info: at("info"),
		warn: at("warning"),
		error: at("error"),
	};
}
