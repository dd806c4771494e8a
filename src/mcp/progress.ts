import { SECOND_MS } from "../lib/clock.ts";

/** The interval at which a waiting call reports progress. Without reports, clients would give up. */
const INTERVAL_MS = 10 * SECOND_MS;

/** A progress notification as the protocol defines it. */
interface ProgressNotification {
	readonly method: "notifications/progress";
	readonly params: {
		readonly progressToken: string | number;
		readonly progress: number;
		readonly message: string;
	};
}

/**
 * Runs a call, and reports the elapsed seconds every 10 seconds until it has ended.
 * @param token identifies the notifications for the client; undefined if the client requests none
 * @param notify sends a notification; it may reject if the client has disconnected
 */
export async function reportProgress<T>(
	token: string | number | undefined,
	notify: (notification: {
		method: "notifications/progress";
		params: ProgressNotification["params"] & Record<string, unknown>;
	}) => Promise<void>,
	run: () => Promise<T>,
	intervalMs = INTERVAL_MS,
): Promise<T> {
	if (token === undefined) return run();
	const startedAt = performance.now();
	const timer = setInterval(() => {
		const seconds = Math.round((performance.now() - startedAt) / SECOND_MS);
		const message = `Waiting for ${seconds} seconds.`;
		const params = { progressToken: token, progress: seconds, message };
		notify({ method: "notifications/progress", params }).catch(() => {});
	}, intervalMs);
	try {
		return await run();
	} finally {
		clearInterval(timer);
	}
}
