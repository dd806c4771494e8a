/** Commands that print the status of agents or wait for a status. */
import { LONGEST_TIMER_MS, SECOND_MS } from "../core/lib/clock.ts";
import { readFlag, type TypedFlag } from "../core/lib/command-line.ts";
import { messageOf } from "../core/lib/error-reason.ts";
import { clean } from "../core/lib/readable-text.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { operationAt } from "./catalogue.ts";
import type { Command } from "./client-command.ts";
import { Failure } from "./client-failure.ts";
import type { Configuration } from "./configuration.ts";
import { flagsOf, valuesOf } from "./field-flags.ts";
import { type Body, call, requireAddress, type Values } from "./operation-call.ts";
import { MAX_WAIT_SECONDS } from "./send-message.ts";
import { report } from "./terminal.ts";

const one = operationAt("GET /api/agents/:id/status");
const several = operationAt("GET /api/agents/status");
const PAUSE_MS = 2 * SECOND_MS;

const DEFAULT_STATUS = "available";

/** The parameters of `getAgentStatus` that become flags: `until` for `wait`, and `expect` for `status`. */
const until = one.fields.filter(({ name }) => name === "until");
const expected = one.fields.filter(({ name }) => name === "expect");

const timeout: TypedFlag<number> = {
	value: "SECONDS",
	help: "exit with code 8 after this time; no limit by default",
	allowed: "a number of seconds",
	read: (text) => (/^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined),
};

/**
 * `status [ID...]`: prints the statuses of these agents; without ids, prints the status of the caller. With
 * `--expect`, exits with 3 unless all statuses are as expected.
 */
export const status: Command = {
	summary: one.summary,
	words: "[ID...]",
	flags: flagsOf(expected),
	example: '"$ID" "$ID2" --expect available',
	routes: ["GET /api/agents/:id/status", "GET /api/agents/status"],
	async run({ line, configuration, show }) {
		const { words } = line;
		const values = valuesOf(line, expected);
		const configured = configuration();
		requireAddress(configured);
		const [id = configured.agentId, ...others] = words;
		if (id === null) throw new UsageError("status needs at least one ID");
		if (others.length === 0) return show(await call(configured, one, { id, ...values }));
		const { body, unknown } = await requestStatuses(configured, words, values);
		show(body);
		if (unknown.length > 0) throw notFound(unknown);
	},
};

/**
 * Fetches the statuses of several agents. Returns the response and the unknown ids.
 * @param values further parameters of the operation
 * @throws Failure
 */
export async function requestStatuses(
	configuration: Configuration,
	ids: readonly string[],
	values: Values = {},
): Promise<{ readonly body: Body; readonly unknown: readonly string[] }> {
	const body = await call(configuration, several, { ids: ids.join(","), ...values });
	const unknown = Array.isArray(body.unknown) ? body.unknown : [];
	return { body, unknown: unknown.filter((id) => typeof id === "string") };
}

/** Returns the failure for unknown ids. */
export function notFound(ids: readonly string[], hint = ""): Failure {
	return new Failure(`not found: ${ids.map(clean).join(", ")}`, 5, hint);
}

/**
 * `wait ID --until available`: exits when the agent has the status. The first call must succeed; later calls
 * are retried after a temporary failure.
 */
export const wait: Command = {
	summary: "Wait until an agent is available, or relaxing",
	about: `Waits until the agent is ${DEFAULT_STATUS}, or as --until says.`,
	words: "ID",
	flags: { ...flagsOf(until), timeout },
	routes: ["GET /api/agents/:id/status"],
	example: '"$ID" --until available --timeout 600',
	async run({ line, name, configuration, show }) {
		const { until: wanted = DEFAULT_STATUS } = valuesOf(line, until);
		const deadlineMs = performance.now() + (readFlag(line, "timeout", timeout) ?? Infinity) * SECOND_MS;
		const configured = configuration();
		const [id] = line.words;
		let body = await call(configured, one, { id });
		let failures = 0;
		while (body.status !== wanted) {
			const leftMs = deadlineMs - performance.now();
			if (leftMs <= 0) throw new Failure(`not ${wanted} in time`, 8);
			const seconds = Math.min(MAX_WAIT_SECONDS, Math.ceil(leftMs / SECOND_MS));
			const timerMs = Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS);
			try {
				const values = { id, until: wanted, wait: seconds };
				const signal = AbortSignal.timeout(timerMs);
				body = await call(configured, one, values, signal);
			} catch (error) {
				const pauseMs = Math.max(retryAfterMs(error), PAUSE_MS);
				const isOver = performance.now() >= deadlineMs;
				if (failures++ === 0 && !isOver) report(`${name}: ${messageOf(error)}; retrying`);
				await pause(Math.min(pauseMs, deadlineMs - performance.now()));
			}
		}
		show(body);
	},
};

/** Returns the minimum delay after a temporary failure. @throws the error if it is not temporary */
export function retryAfterMs(error: unknown): number {
	if (!(error instanceof Failure && error.isTemporary)) throw error;
	return (error.refusal?.retryAfterSeconds ?? 0) * SECOND_MS;
}

/** Resolves after a delay. */
export function pause(ms: number): Promise<void> {
	const timerMs = Math.min(Math.max(ms, 0), LONGEST_TIMER_MS);
	return new Promise((resolve) => setTimeout(resolve, timerMs));
}
