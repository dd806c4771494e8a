import { describeConfig } from "../config/config.ts";
import { type Flags, unknownVariables } from "../config/setting-sources.ts";
import { settings } from "../config/settings.ts";
import type { CheckResult } from "../store/check-result.ts";
import { engineOf } from "../store/engines.ts";
import { advise } from "./advice.ts";
import { print } from "./print.ts";
import type { Command } from "./resort-command.ts";

/** A clock with an earlier time was never set. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

/** `resort doctor` */
export const doctor: Command = {
	summary: "Check the database, the machine and the settings",
	about: `Changes nothing. Give it the flags of serve. Prints one line a check on stdout: ok, warn or fail, the name of the
check and the result. Exit code 1 if a check failed, else 0.`,
	words: "",
	flags: settings,
	async run({ flags }) {
		const findings = await examine(flags);
		for (const { level, name, what } of findings) {
			const line = `${level.padEnd(4)}  ${name.padEnd(17)}  ${what}`;
			print(`${line.replaceAll(/[\r\n]+/g, " ")}\n`);
		}
		if (findings.some(({ level }) => level === "fail")) process.exitCode = 1;
	},
};

async function examine(flags: Flags): Promise<CheckResult[]> {
	const { config, inForce } = describeConfig(flags, process.env);
	const nowMs = Date.now();
	return [
		...(await engineOf(config.database).examine({
			database: config.database,
			connections: config["database-connections"],
			environment: process.env,
		})),
		{
			level: nowMs < EARLIEST_MS ? "fail" : "ok",
			name: "clock",
			what: new Date(nowMs).toISOString(),
		},
		...inForce.map(({ name, text, from }): CheckResult => {
			const value = text === null ? "not set" : text || "none";
			const what = `${value} (${from ?? "preset"})`;
			return { level: "ok", name: `--${name}`, what };
		}),
		...advise(config),
		...unknownVariables(process.env).map((what): CheckResult => {
			return { level: "warn", name: "unknown variable", what };
		}),
	];
}
