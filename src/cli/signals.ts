import type { Log } from "../server/log/log.ts";

/** The signals that tell the program to stop. */
export const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Aborted by the first signal that tells the program to stop, so that no unfinished file is left behind. */
export function stopSignal(): AbortSignal {
	const stop = new AbortController();
	for (const name of SIGNALS) process.once(name, () => stop.abort());
	return stop.signal;
}

/** Ends the program with exit code 1 and a last log line when it breaks. */
export function endOnFailure(log: Log): void {
	for (const event of ["uncaughtException", "unhandledRejection"]) {
		process.on(event, async (error) => {
			log.logger.fatal("unexpected failure", {
				error: error instanceof Error ? error.stack : String(error),
			});
			await log.close();
			process.exit(1);
		});
	}
}
