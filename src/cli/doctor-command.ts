import { print } from "../core/commands/print.ts";
import type { Command } from "../core/commands/resort-command.ts";
import type { CoreConfig } from "../core/config/settings.ts";
import { localAddress, proxyFor } from "../core/server/ports.ts";
import { type Checks, ok, runChecks, warn } from "../core/store/check.ts";
import { checkCertificate, checkHealth } from "./check-addresses.ts";
import { hostChecks } from "./check-settings.ts";
import { configuration, engineOf } from "./features.ts";

const addressChecks: Checks<CoreConfig> = {
	instance({ host, port }) {
		if (port === 0) return ok("not checked: --port 0 means any free port");
		const advice =
			"sudo systemctl start resort, see journalctl -u resort and sudo ss -ltnp; or pass its settings: --config /etc/resort.toml";
		return checkHealth(localAddress(host, port), false, advice);
	},
	"public address"({ "base-url": base }) {
		const advice =
			"check its DNS, the firewall and the proxy (sudo nginx -t, sudo systemctl status nginx caddy)";
		return base === null ? null : checkHealth(base, proxyFor(base), advice);
	},
	certificate: ({ "base-url": base }) =>
		base?.startsWith("https:") ? checkCertificate(new URL(base)) : null,
};

/** Matches the names of the results that are printed even if they are `ok`. */
const SHOWN = /^(instance|public address|certificate|--.*)$/;

/** `resort doctor` */
export const doctor: Command = {
	summary: "Check the running instance, its public address, the database, the machine and the settings",
	about: `Changes nothing. Takes the flags of serve. Prints the main results, all settings that differ from their defaults, and every problem.
A line consists of ok, warn or fail, the name of the check, the result and what to do. Exit code 1 if a check fails,
for example because the instance or the public address does not respond, 2 if a setting is invalid, else 0.`,
	words: "",
	flags: {
		...configuration.settings,
		all: { help: "print all checks and settings, including those that are ok" },
	},
	async run({ flags: { all, ...given } }) {
		const { config, inForce } = configuration.describe(given, process.env);
		const results = (
			await Promise.all([
				runChecks(addressChecks, config),
				engineOf(config.database).examine({
					database: config.database,
					config,
					maxBytes: config["max-database"],
					environment: process.env,
				}),
				inForce
					.filter(({ isDefault }) => all !== undefined || !isDefault)
					.map(({ name, text, from }) => ({
						name: `--${name}`,
						...ok(`${text === null ? "not set" : text || "none"} (${from ?? "default"})`),
					})),
				runChecks(hostChecks, config),
				configuration
					.unknownVariables(process.env)
					.map((variable) => ({ name: "unknown variable", ...warn(variable) })),
			])
		).flat();
		const shown = results.filter(
			({ level, name }) => all !== undefined || level !== "ok" || SHOWN.test(name),
		);
		for (const { level, name, what } of shown) {
			const line = `${level.padEnd(4)}  ${name.padEnd(17)}  ${what}`;
			print(`${line.replaceAll(/[\r\n]+/g, " ")}\n`);
		}
		const good = results.length - shown.length;
		if (good > 0) print(`More checks that are ok: ${good} (--all prints them).\n`);
		if (results.some(({ level }) => level === "fail")) process.exitCode = 1;
	},
};
