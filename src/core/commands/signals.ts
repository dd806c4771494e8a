import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Log } from "../server/log/log.ts";

/**
 * The signals that stop the program. SIGHUP and SIGQUIT are omitted if they were ignored when the program
 * started, as under `nohup`, or if the system does not report whether they were ignored.
 */
export const SIGNALS: readonly NodeJS.Signals[] = [
	"SIGTERM",
	"SIGINT",
	...(["SIGHUP", "SIGQUIT"] as const).filter(isHandled),
];

function isHandled(signal: NodeJS.Signals): boolean {
	try {
		const status = readFileSync("/proc/self/status", "utf8");
		const [, ignored = ""] = /^SigIgn:\s*(\w+)$/m.exec(status) ?? [];
		const bit = 1n << BigInt(constants.signals[signal] - 1);
		return (BigInt(`0x${ignored}`) & bit) === 0n;
	} catch {
		return false;
	}
}

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
			log.logger.error("unexpected failure", { error: error instanceof Error ? error.stack : String(error) });
			await log.close();
			process.exit(1);
		});
	}
}
