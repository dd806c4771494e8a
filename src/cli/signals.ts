import type { Logger } from "@logtape/logtape";

/** The signals that tell the program to stop. */
export const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Ends the program with exit code 1 and a last log line when it breaks. */
export function endOnFailure(log: Logger): void {
	for (const event of ["uncaughtException", "unhandledRejection"]) {
		process.on(event, (error) => {
			log.fatal("unexpected failure", {
				error: error instanceof Error ? error.stack : String(error),
			});
			process.exit(1);
		});
	}
}
