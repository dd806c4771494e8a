import { Value } from "@sinclair/typebox/value";
import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import type { Flags } from "../config/sources.ts";
import { baseAddress } from "../config/values.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { codeOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";
import { wholeNumber } from "../lib/text.ts";
import { HealthAnswer } from "../resort/health/model.ts";
import { localAddress } from "../server/address.ts";
import { parseFlags } from "./flags.ts";

/** How long an instance may take to answer. */
const TIMEOUT_MS = 5 * SECOND_MS;

/** How long to wait before an instance that was not healthy is asked again. */
const PAUSE_MS = 200;

const MAX_WAIT_SECONDS = 3_600;

/** The flags of `resort healthcheck`. */
export const healthcheckFlags = {
	url: { value: "URL", help: "address of the instance" },
	host: { ...settings.host, help: "host that the instance listens on" },
	port: { ...settings.port, help: "port that the instance listens on" },
	config: settings.config,
	wait: {
		value: "SECONDS",
		help: `keep asking for so long until it is healthy, at most ${MAX_WAIT_SECONDS}`,
		preset: "0",
	},
};

/**
 * `resort healthcheck`: asks a running instance for its health, once or until it is healthy.
 * @throws StartError with exit code 1 when it is not healthy in time, 2 when a setting is wrong
 */
export async function healthcheck(args: readonly string[]): Promise<void> {
	const { url, wait, ...flags } = parseFlags(
		"healthcheck",
		args,
		healthcheckFlags,
	);
	const waitMs = readWaitMs(wait ?? healthcheckFlags.wait.preset);
	const base = url === undefined ? configuredAddress(flags) : baseAddress(url);
	if (base === undefined) {
		throw new StartError(`--url: must be ${settings["base-url"].allowed}`, 2);
	}
	const asked = `${base}/api/health`;
	if (waitMs === 0) return ask(asked, TIMEOUT_MS);
	const deadlineMs = performance.now() + waitMs;
	for (;;) {
		// A pause may end late; the last call has some time all the same.
		const leftMs = Math.max(deadlineMs - performance.now(), PAUSE_MS);
		try {
			return await ask(asked, Math.min(leftMs, TIMEOUT_MS));
		} catch (error) {
			if (performance.now() + PAUSE_MS >= deadlineMs) throw error;
			await Bun.sleep(PAUSE_MS);
		}
	}
}

/** @throws StartError with exit code 1 when the instance is not healthy */
async function ask(asked: string, timeoutMs: number): Promise<void> {
	const response = await fetch(asked, {
		signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
	}).catch((error: unknown) => {
		const reason = codeOf(error) || error;
		throw new StartError(`${asked} does not answer (${reason})`, 1);
	});
	if (!response.ok) {
		throw new StartError(`${asked} answers ${response.status}`, 1);
	}
	const body: unknown = await response.json().catch(() => null);
	if (!Value.Check(HealthAnswer, body)) {
		throw new StartError(`${asked} is not a resort's`, 1);
	}
}

function readWaitMs(text: string): number {
	const seconds = wholeNumber(text, MAX_WAIT_SECONDS);
	if (seconds !== undefined) return seconds * SECOND_MS;
	throw new StartError(
		`--wait ${JSON.stringify(text)}: must be a whole number from 0 to ${MAX_WAIT_SECONDS}`,
		2,
	);
}

function configuredAddress(flags: Flags): string {
	const { host, port } = readSettings(["host", "port"], flags, process.env);
	if (port === 0) {
		throw new StartError("--port 0 is any port: give --url", 2);
	}
	return localAddress(host, port);
}
