import type { Log } from "../instance/log/log.ts";

/** The signals that tell the program to stop. */
export const SIGNALS = ["SIGTERM", "SIGINT"] as const;

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
