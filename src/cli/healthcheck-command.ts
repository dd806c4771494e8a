import type { Command } from "../core/commands/resort-command.ts";
import { integer } from "../core/config/setting-kinds.ts";
import type { Flags } from "../core/config/setting-sources.ts";
import { SECOND_MS } from "../core/lib/clock.ts";
import { readFlag } from "../core/lib/command-line.ts";
import { SettingError, StartError } from "../core/lib/start-error.ts";
import { localAddress, proxyFor } from "../core/server/ports.ts";
import { configuration } from "./features.ts";
import { requestHealth, TIMEOUT_MS } from "./health.ts";

const PAUSE_MS = 200;

const MAX_WAIT_SECONDS = 3_600;

const { settings } = configuration;

const flags = {
	url: { ...settings["base-url"], help: "address of the instance" },
	host: { ...settings.host, help: "host that the instance listens on" },
	port: { ...settings.port, help: "port that the instance listens on" },
	config: settings.config,
	wait: {
		...integer(
			`repeat the check until the instance is healthy, for at most this many seconds, up to ${MAX_WAIT_SECONDS}`,
			MAX_WAIT_SECONDS,
		),
		value: "SECONDS",
		preset: "0",
	},
};

/** `resort healthcheck` */
export const healthcheck: Command = {
	summary: "Check the health of a running instance",
	about: `Exit code 0 if the instance is healthy, 1 if not, 2 if a setting is invalid. Without --url, it checks the configured
host and port.`,
	words: "",
	flags,
	async run(line) {
		const waitSeconds = readFlag(line, "wait", flags.wait) ?? 0;
		const base = readFlag(line, "url", flags.url);
		const target = base ?? configuredAddress(line.flags);
		const proxy = base === undefined ? false : proxyFor(base);
		const deadlineMs = performance.now() + waitSeconds * SECOND_MS;
		for (;;) {
			// Gives the last request at least `PAUSE_MS`, even if the pause before the request took too long.
			const leftMs = Math.max(deadlineMs - performance.now(), PAUSE_MS);
			try {
				return await check(target, proxy, waitSeconds === 0 ? TIMEOUT_MS : Math.min(leftMs, TIMEOUT_MS));
			} catch (error) {
				if (performance.now() + PAUSE_MS >= deadlineMs) throw error;
				await Bun.sleep(PAUSE_MS);
			}
		}
	},
};

async function check(base: string, proxy: false | undefined, timeoutMs: number): Promise<void> {
	const { url, status, body } = await requestHealth(base, proxy, timeoutMs);
	if (status !== 200) throw new StartError(`${url} returned ${status}`);
	if (body.ok !== true || body.status !== "healthy") throw new StartError(`${url} is not a resort`);
}

function configuredAddress(flags: Flags): string {
	const { host, port } = configuration.readSome(["host", "port"], flags, process.env);
	if (port === 0) {
		throw new SettingError("--port 0 means any free port: set --url instead");
	}
	return localAddress(host, port);
}
