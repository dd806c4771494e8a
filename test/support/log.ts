import type { LogFields, Logger } from "../../src/core/lib/logger.ts";
import { requireNoSecrets } from "./secrets.ts";

/** A line that the program logged. */
export interface LogLine {
	readonly level: string;
	readonly message: string;
	readonly properties: LogFields;
}

/** Returns a logger that adds its lines to a list. A line that contains a secret fails the test. */
export function memoryLog(into: LogLine[]): Logger {
	const logAt =
		(level: string): Logger["info"] =>
		(message, properties = {}) => {
			into.push({ level, message, properties });
			// In a microtask, because the program may catch errors of the logger.
			queueMicrotask(() => requireNoSecrets(`${message} ${JSON.stringify(properties)}`));
		};
	return { info: logAt("info"), warn: logAt("warning"), error: logAt("error") };
}
