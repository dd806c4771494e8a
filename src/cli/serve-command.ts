import { fstatSync } from "node:fs";
import { printJson } from "../core/commands/print.ts";
import type { Command } from "../core/commands/resort-command.ts";
import { endOnFailure, SIGNALS } from "../core/commands/signals.ts";
import { SECOND_MS } from "../core/lib/clock.ts";
import { isLoopback } from "../core/lib/ip-address.ts";
import { once } from "../core/lib/once.ts";
import { SettingError } from "../core/lib/start-error.ts";
import { VERSION } from "../core/lib/version.ts";
import { openLog } from "../core/server/log/log.ts";
import { runChecks } from "../core/store/check.ts";
import { settingChecks } from "./check-settings.ts";
import { type Config, configuration } from "./features.ts";
import { startInstance } from "./instance.ts";

const STDIN = 0;

/** The time limit for requests in flight after the parent process has ended. */
const ORPHAN_MS = SECOND_MS / 2;

/** `resort serve` */
export const serve: Command = {
	summary: "Serve a resort",
	about: `Prints one line of JSON on stdout as soon as it accepts connections: its url, pid and version.
The log goes to stderr, one line per request; see --log-level and --log-format.

Every flag has an environment variable: --base-url is RESORT_BASE_URL. For secrets, RESORT_BASE_URL_FILE can name a file
that contains only the value; do not set both. In the --config file, the key is base-url. Flags override variables, and
both override the --config file.

With --seed, the same calls in the same order return the same responses, except for timestamps and durations.

With --fixtures, an agent without a key in the file gets a random one, which is shown only in the ready line, and only
with --test-controls. resort example fixtures.json prints a file with an apiKey for each agent.`,
	words: "",
	flags: configuration.settings,
	run: ({ flags }) => serveUntilStopped(configuration.read(flags, process.env)),
};

async function serveUntilStopped(config: Config): Promise<void> {
	if (config["exit-with-parent"] && !(await staysOpen(STDIN))) {
		throw new SettingError(
			"--exit-with-parent: stdin must be a pipe that the parent holds open, but it is closed, a file or /dev/null",
		);
	}
	const log = openLog(config["log-level"], config["log-format"]);
	const instance = await startInstance(config, log, process.env);
	const stop = once(async () => {
		await instance.stop();
		await log.close();
		process.exit(0);
	});
	for (const signal of SIGNALS) process.on(signal, stop);
	endOnFailure(log);
	printJson({ url: instance.url, pid: process.pid, version: VERSION, ...instance.readyFields });
	if (config["exit-with-parent"]) {
		stdinToClose().then(() => {
			// Exits soon, because some requests may never end, and nobody needs their responses without the parent.
			setTimeout(() => process.exit(0), ORPHAN_MS);
			stop();
		});
	}
	// An ephemeral instance on a loopback address is for tests, so its settings cause no warnings.
	if (!(config.ephemeral && isLoopback(config.host))) {
		for (const { name, what } of await runChecks(settingChecks, config)) {
			log.logger.warn(what, { about: name });
		}
	}
	const variables = configuration.unknownVariables(process.env);
	if (variables.length > 0) {
		log.logger.warn("unknown variables", { variables });
	}
	log.logger.info("serving", { url: instance.url, database: instance.database, ...instance.loggedFields });
}

/** Whether a read from a descriptor can wait until the parent ends. A file or `/dev/null` ends at once. */
async function staysOpen(descriptor: number): Promise<boolean> {
	const { isatty } = await import("node:tty");
	try {
		const status = fstatSync(descriptor);
		return isatty(descriptor) || status.isFIFO() || status.isSocket();
	} catch {
		return false;
	}
}

/** Resolves when stdin is closed, which also happens if the parent is killed. Discards all data. */
async function stdinToClose(): Promise<void> {
	try {
		for await (const _ of Bun.stdin.stream());
	} catch {
		// A broken pipe counts as closed.
	}
}
