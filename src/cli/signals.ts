import type { Log } from "../server/log/log.ts";

/** The signals that stop the program. */
export const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Returns a signal that is aborted when the program is stopped, so that incomplete files can be deleted. */
export function stopSignal(): AbortSignal {
	const stop = new AbortController();
	for (const name of SIGNALS) process.once(name, () => stop.abort());
	return stop.signal;
}

/** Installs handlers that log an unexpected error and end the program with exit code 1. */
export function endOnFailure(log: Log): void {
	for (const event of ["uncaughtException", "unhandledRejection"]) {
		process.on(event, async (error) => {
			log.logger.error("unexpected failure", {
				error: error instanceof Error ? error.stack : String(error),
			});
			await log.close();
			process.exit(1);
		});
	}
}
