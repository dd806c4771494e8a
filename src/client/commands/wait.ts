import { LONGEST_TIMER_MS, SECOND_MS } from "../../lib/clock.ts";
import { readFlag } from "../../lib/command-line.ts";
import { operationAt } from "../catalogue.ts";
import type { Command } from "../client-command.ts";
import { Failure, Refusal } from "../client-failure.ts";
import type { Configuration } from "../configuration.ts";
import { requireChoice } from "../field-flags.ts";
import { type Body, call } from "../operation-call.ts";

const operation = operationAt("GET /api/agents/:id/status");
const fieldOf = (name: string) =>
	operation.fields.find((field) => field.name === name);

/** The longest time that one call waits, in seconds. */
const MAX_CALL_SECONDS = fieldOf("wait")?.most ?? 1;

const PAUSE_MS = 2 * SECOND_MS;

const DEFAULT_STATUS = "available";
const STATUSES = fieldOf("until")?.choices ?? [DEFAULT_STATUS];

const flags = {
	until: {
		value: "STATUS",
		help: `one of ${STATUSES.join(", ")}; ${DEFAULT_STATUS} when left out`,
		choices: STATUSES,
	},
	timeout: {
		value: "SECONDS",
		help: "exit with 8 after this time; without it there is no limit",
		allowed: "a number of seconds",
		read: (text: string) =>
			/^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined,
	},
};

/** `wait ID --until available`: ends as soon as the agent has the status. */
export const wait: Command = {
	summary: "Wait until an agent is available, or relaxing",
	words: "ID",
	flags,
	routes: ["GET /api/agents/:id/status"],
	example: '"$ID" --until available --timeout 600',
	async run({ line, configuration, show }) {
		const { until = DEFAULT_STATUS } = line.flags;
		requireChoice("until", [until], STATUSES);
		const seconds = readFlag(line, "timeout", flags.timeout) ?? Infinity;
		const deadlineMs = performance.now() + seconds * SECOND_MS;
		const [id = ""] = line.words;
		show(await waitUntil(configuration(), id, until, deadlineMs));
	},
};

/** Requests the status until it is the expected one. After a first answer, failures that may pass are retried. */
async function waitUntil(
	configuration: Configuration,
	id: string,
	until: string,
	deadlineMs: number,
): Promise<Body> {
	let body = await call(configuration, operation, { id });
	while (body.status !== until) {
		const leftMs = deadlineMs - performance.now();
		if (leftMs <= 0) throw new Failure(`not ${until} in time`, 8);
		const seconds = Math.min(MAX_CALL_SECONDS, Math.ceil(leftMs / SECOND_MS));
		const values = { id, until, wait: seconds };
		try {
			body = await call(configuration, operation, values, {
				waitSeconds: seconds,
				signal: AbortSignal.timeout(
					Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS),
				),
			});
		} catch (error) {
			if (!isTemporary(error)) throw error;
			const pauseMs = Math.max(retryAfterMs(error), PAUSE_MS);
			await pause(Math.min(pauseMs, deadlineMs - performance.now()));
		}
	}
	return body;
}

/** Whether a failure may pass: no answer, an overload, or a limit. */
export function isTemporary(error: unknown): error is Failure {
	if (error instanceof Refusal) {
		return error.status === 429 || error.status >= 500;
	}
	return error instanceof Failure && error.exitCode === 7;
}

/** Returns how long a failure forbids another call. */
export function retryAfterMs(error: unknown): number {
	return error instanceof Refusal ? error.retryAfterSeconds * SECOND_MS : 0;
}

/** Resolves after a time. */
export function pause(ms: number): Promise<void> {
	const timerMs = Math.min(Math.max(ms, 0), LONGEST_TIMER_MS);
	return new Promise((resolve) => setTimeout(resolve, timerMs));
}
