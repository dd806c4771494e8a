import { readConfig } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { unknownVariables } from "../config/variables.ts";
import { isLoopback } from "../lib/address.ts";
import { once } from "../lib/once.ts";
import { VERSION } from "../lib/version.ts";
import { startInstance } from "../server/instance.ts";
import { openLog } from "../server/log/log.ts";
import { adviseAtStart } from "./advice.ts";
import { parseFlags } from "./flags.ts";
import { parentToEnd, requireParent } from "./parent.ts";
import { print } from "./print.ts";
import { endOnFailure, SIGNALS } from "./signals.ts";

/**
 * `resort serve`: serves a resort until it is told to stop.
 * @throws StartError when a setting is wrong, or the database or the port cannot be had
 */
export async function serve(args: readonly string[]): Promise<void> {
	const config = readConfig(parseFlags("serve", args, settings), process.env);
	if (config["exit-with-parent"]) requireParent();
	const log = openLog(config["log-level"], config["log-format"]);
	const instance = await startInstance(config, log, process.env);
	const stop = once(async () => {
		await instance.stop();
		await log.close();
		process.exit(0);
	});
	for (const signal of SIGNALS) process.on(signal, stop);
	endOnFailure(log);
	print(
		`${JSON.stringify({
			url: instance.url,
			pid: process.pid,
			version: VERSION,
			// Whoever may reset the resort may act as its agents.
			...(config["test-controls"] && { keys: instance.agentKeys }),
		})}\n`,
	);
	if (config["exit-with-parent"]) parentToEnd().then(stop);
	if (config.seed !== null) {
		log.logger.warn("seeded: keys and session tokens are guessable", {
			seed: config.seed,
		});
	}
	if (config["test-controls"]) {
		log.logger.warn(
			isLoopback(config.host)
				? "test controls: anyone on this machine may reset the resort"
				: "test controls: anyone who reaches it may reset the resort",
		);
	}
	for (const { name, what } of adviseAtStart(config)) {
		log.logger.warn(what, { about: name });
	}
	const variables = unknownVariables(process.env);
	if (variables.length > 0) {
		log.logger.warn("unknown variables", { variables });
	}
	log.logger.info("serving", {
		url: instance.url,
		database: instance.database,
		...(instance.metricsUrl !== null && { metrics: instance.metricsUrl }),
	});
}
