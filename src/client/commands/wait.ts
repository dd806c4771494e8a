import { LONGEST_TIMER_MS, SECOND_MS } from "../../lib/clock.ts";
import { call, Refusal, type Told } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import { requireChoice } from "../choices.ts";
import type { Command } from "../command.ts";
import type { Configuration } from "../configuration.ts";
import { Failure, usage } from "../failure.ts";
import { lastOf } from "../flags.ts";

const operation = operationAt("GET /api/agents/:id/status");
const fieldOf = (name: string) =>
	operation.fields.find((field) => field.name === name);

/** The longest time that one call waits, in seconds. */
const STEP = fieldOf("wait")?.most ?? 1;

/** How long to pause after a call that failed. */
const PAUSE_MS = 2 * SECOND_MS;

/** What is waited for when nothing else is said. */
const USUAL = "available";

/** What can be waited for. */
const STATES = fieldOf("until")?.choices ?? [USUAL];

/** `wait ID --until available`: ends as soon as it is so. */
export const wait: Command = {
	summary: "Wait until an agent is available, or relaxing",
	words: "ID",
	count: [1, 1],
	flags: {
		until: {
			value: "STATUS",
			help: `one of ${STATES.join(", ")}; ${USUAL} when left out`,
			choices: STATES,
		},
		timeout: {
			value: "SECONDS",
			help: "exit with 8 after so long; for ever without it",
		},
	},
	routes: ["GET /api/agents/:id/status"],
	example: '"$ID" --until available --timeout 600',
	async run({ line, configuration, show }) {
		const until = lastOf(line, "until") ?? USUAL;
		requireChoice("until", [until], STATES);
		const limit = lastOf(line, "timeout") ?? "Infinity";
		if (!/^(\d{1,9}(\.\d{1,3})?|Infinity)$/.test(limit)) {
			throw usage("--timeout: must be a number of seconds");
		}
		const untilMs = performance.now() + Number(limit) * SECOND_MS;
		const [id = ""] = line.words;
		show(await waitUntil(configuration(), id, until, untilMs));
	},
};

/**
 * Asks again and again until it is so. Once it has been answered, a resort that is away for a while is waited for.
 * @param untilMs by `performance.now()`
 * @throws Failure with exit code 8 when the time is over
 */
async function waitUntil(
	configuration: Configuration,
	id: string,
	until: string,
	untilMs: number,
): Promise<Told> {
	let told = await call(configuration, operation, { id });
	while (told.status !== until) {
		const leftMs = untilMs - performance.now();
		if (leftMs <= 0) {
			throw new Failure(`not ${until} in time`, 8);
		}
		const step = Math.min(STEP, Math.ceil(leftMs / SECOND_MS));
		const values = { id, until, wait: step };
		try {
			told = await call(configuration, operation, values, {
				waitSeconds: step,
				// An answer that comes later is of no use.
				...(leftMs <= LONGEST_TIMER_MS && {
					signal: AbortSignal.timeout(Math.ceil(leftMs)),
				}),
			});
		} catch (error) {
			const seconds = error instanceof Refusal ? error.retryAfterSeconds : 0;
			if (!isPassing(error)) throw error;
			const pauseMs = Math.max(seconds * SECOND_MS, PAUSE_MS);
			const overMs = Math.max(0, untilMs - performance.now());
			await pause(Math.min(pauseMs, overMs, LONGEST_TIMER_MS));
		}
	}
	return told;
}

/** Whether a failure goes by: nobody answers, or too many ask. */
export function isPassing(error: unknown): error is Failure {
	if (error instanceof Refusal) {
		return error.status === 429 || error.status >= 500;
	}
	return error instanceof Failure && error.exitCode === 7;
}

/** Resolves after a while. */
export function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}
