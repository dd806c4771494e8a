import {
	type Config,
	describeConfig,
	type SettingInForce,
} from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { unknownVariables } from "../config/variables.ts";
import { engineOf } from "../store/engines.ts";
import type { Finding } from "../store/finding.ts";
import { advise } from "./advice.ts";
import { parseFlags } from "./flags.ts";
import { print } from "./print.ts";

/** A clock that tells an earlier time was never set. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

/**
 * `resort doctor`: checks the database, the machine and the settings, and prints a line a check. It
 * changes nothing. The exit code is 1 when a check failed.
 * @throws StartError with exit code 2 when a setting is wrong
 */
export async function doctor(args: readonly string[]): Promise<void> {
	const flags = parseFlags("doctor", args, settings);
	const { config, inForce } = describeConfig(flags, process.env);
	const findings = [
		...(await examineDatabase(config)),
		...examineClock(Date.now()),
		...tellSettings(inForce),
		...advise(config),
		...unknownVariables(process.env).map((what): Finding => {
			return { level: "warn", name: "unknown variable", what };
		}),
	];
	for (const { level, name, what } of findings) {
		const line = `${level.padEnd(4)}  ${name.padEnd(17)}  ${what}`;
		print(`${line.replaceAll(/[\r\n]+/g, " ")}\n`);
	}
	if (findings.some(({ level }) => level === "fail")) process.exitCode = 1;
}

function examineDatabase(config: Config): Promise<Finding[]> {
	const { database } = config;
	const connections = config["database-connections"];
	const environment = process.env;
	return engineOf(database).examine({ database, connections, environment });
}

function examineClock(nowMs: number): Finding[] {
	const what = new Date(nowMs).toISOString();
	return [{ level: nowMs < EARLIEST_MS ? "fail" : "ok", name: "clock", what }];
}

function tellSettings(inForce: readonly SettingInForce[]): Finding[] {
	return inForce.map(({ name, text, from }) => {
		const value = text === null ? "not set" : text || "none";
		return {
			level: "ok",
			name: `--${name}`,
			what: `${value} (${from ?? "preset"})`,
		};
	});
}
