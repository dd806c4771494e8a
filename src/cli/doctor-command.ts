import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { print } from "../core/commands/print.ts";
import type { Command } from "../core/commands/resort-command.ts";
import type { InForce } from "../core/config/config.ts";
import type { Flags } from "../core/config/setting-sources.ts";
import type { CoreConfig } from "../core/config/settings.ts";
import { DAY_MS, toTimestamp } from "../core/lib/clock.ts";
import { type CheckResult, type Checks, type Finding, ok, runChecks, warn } from "../core/store/check.ts";
import { checkCertificate, checkInstance, checkPublicAddress } from "./check-addresses.ts";
import { checkSettings } from "./check-settings.ts";
import { configuration, engineOf } from "./features.ts";

/** Matches the names of the files that `resort backup --dir` creates. */
const BACKUP = /^resort-\d{8}T\d{6}Z\./;

/** The age from which a backup is stale. The example resort-backup.timer creates one backup a day. */
const STALE_MS = 2 * DAY_MS;

const checks: Checks<CoreConfig> = {
	instance: checkInstance,
	"public address": checkPublicAddress,
	certificate: checkCertificate,
	backups: checkBackups,
};

/** The checks that are printed even if their result is good. */
const SHOWN = ["settings", "instance", "public address", "certificate"];

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
		const results = await runAll(given, all !== undefined);
		const shown = results.filter(
			({ level, name }) => all !== undefined || level !== "ok" || SHOWN.includes(name),
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

async function runAll(given: Flags, isComplete: boolean): Promise<CheckResult[]> {
	const { config, inForce } = configuration.describe(given, process.env);
	const results = await Promise.all([
		runChecks(checks, config),
		engineOf(config.database).examine({
			database: config.database,
			config,
			maxBytes: config["max-database"],
			environment: process.env,
		}),
		isComplete ? describeAll(inForce) : describeChanged(inForce),
		checkSettings(config),
		configuration
			.unknownVariables(process.env)
			.map((variable) => ({ name: "unknown variable", ...warn(variable) })),
	]);
	return results.flat();
}

function describeAll(inForce: readonly InForce[]): CheckResult[] {
	return inForce.map(({ name, text, from }) => {
		const value = text === null ? "not set" : text || "none";
		return { name: `--${name}`, ...ok(`${value} (${from ?? "default"})`) };
	});
}

/** Describes the settings that differ from the defaults, in one line. */
function describeChanged(inForce: readonly InForce[]): CheckResult[] {
	const changed = inForce.filter(({ isDefault }) => !isDefault);
	if (changed.length === 0) return [];
	const parts = changed.map(({ name, text }) => `--${name} ${text}`);
	return [{ name: "settings", ...ok(parts.join(", ")) }];
}

/**
 * Warns if the newest backup is stale. Examines the folder to which the example resort-backup.service writes.
 */
function checkBackups({ database }: CoreConfig): Finding | null {
	if (!existsSync(database)) return null;
	const folder = `${dirname(realpathSync(database))}-backups`;
	const times = (existsSync(folder) ? readdirSync(folder) : [])
		.filter((file) => BACKUP.test(file))
		.map((file) => statSync(join(folder, file)).mtimeMs);
	const newestMs = Math.max(0, ...times);
	const what =
		times.length === 0 ? `${folder} has none` : `the newest in ${folder} is from ${toTimestamp(newestMs)}`;
	if (Date.now() - newestMs <= STALE_MS) return ok(what);
	return warn(
		`${what}: sudo systemctl enable --now resort-backup.timer, and see journalctl -u resort-backup`,
	);
}
