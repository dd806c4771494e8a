import { readFileSync } from "node:fs";
import { type Config, describeConfig } from "../config/config.ts";
import { type Flags, unknownVariables } from "../config/setting-sources.ts";
import { settings } from "../config/settings.ts";
import { isLoopback } from "../lib/ip-address.ts";
import { MAX_IN_ALL } from "../pipeline/concurrency-limit.ts";
import { type CheckResult, fail, ok, warn } from "../store/check-result.ts";
import { engineOf } from "../store/engines.ts";
import { print } from "./print.ts";
import type { Command } from "./resort-command.ts";

/**
 * The number of open files that an instance needs: one for each possible event stream and waiting call, and 1,000 for
 * the rest.
 */
const NEEDED_FILES = MAX_IN_ALL + 1_000;

/** An earlier time means that the machine's clock was never set. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

/** `resort doctor` */
export const doctor: Command = {
	summary: "Check the database, the machine and the settings",
	about: `Changes nothing. Takes the flags of serve. Prints one line per check on stdout: ok, warn or fail, the name of the
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
			maxBytes: config["max-database"],
			environment: process.env,
		})),
		(nowMs < EARLIEST_MS ? fail : ok)("clock", new Date(nowMs).toISOString()),
		...inForce.map(({ name, text, from }) => {
			const value = text === null ? "not set" : text || "none";
			return ok(`--${name}`, `${value} (${from ?? "preset"})`);
		}),
		...advise(config),
		...unknownVariables(process.env).map((variable) =>
			warn("unknown variable", variable),
		),
	];
}

/** Returns warnings about settings that are valid but probably wrong. */
export function advise(config: Config): CheckResult[] {
	const { host, metrics } = config;
	const base = config["base-url"];
	const identity = config["identity-url"];
	const proxies = config["trusted-proxies"];
	const isLimited = config["rate-limits"] !== false;
	const files = maxOpenFiles();
	const warnings: [applies: boolean, name: string, what: string][] = [
		[
			isLimited && base !== null && isHttps(base) && proxies.length === 0,
			"trusted proxies",
			"an https --base-url implies a proxy, but --trusted-proxies is empty: all agents share the proxy's limits",
		],
		[
			isLimited && proxies.some(([, prefix]) => prefix === 0),
			"trusted proxies",
			"a range of /0 trusts every address: any caller can choose the address to which rate limits apply",
		],
		[
			!isLimited && !isLoopback(host),
			"rate limits",
			`off: anyone who can reach --host ${host} can register and write without limit`,
		],
		[
			base !== null && isOpenHttp(base),
			"base URL",
			"http: keys are sent in plain text, and browsers accept the session cookie only over https",
		],
		[
			base === null && !isLoopback(host),
			"base URL",
			`--base-url is not set: on --host ${host} the guides show an address that others may not be able to reach`,
		],
		[
			metrics && !isLoopback(config["metrics-host"]),
			"metrics",
			`anyone who can reach --metrics-host ${config["metrics-host"]} can read them`,
		],
		[
			identity !== null && isOpenHttp(identity),
			"identity",
			"--identity-url is http: central keys are sent to the provider in plain text",
		],
		[
			identity !== null && base === null,
			"identity",
			"--base-url is not set: calls that the provider signs for the public address are refused",
		],
		[
			files < NEEDED_FILES,
			"open files",
			`at most ${files}: for ${MAX_IN_ALL} event streams and waiting calls allow ${NEEDED_FILES} (LimitNOFILE in systemd, ulimit -n)`,
		],
	];
	return warnings
		.filter(([applies]) => applies)
		.map(([, name, what]) => warn(name, what));
}

/** Returns the maximum number of open files of this process; Infinity if the system does not report it. */
function maxOpenFiles(): number {
	try {
		const limits = readFileSync("/proc/self/limits", "utf8");
		const [, most = "Infinity"] = /^Max open files +(\d+)/m.exec(limits) ?? [];
		return Number(most);
	} catch {
		return Number.POSITIVE_INFINITY;
	}
}

function isHttps(url: string): boolean {
	return new URL(url).protocol === "https:";
}

function isOpenHttp(url: string): boolean {
	return !isHttps(url) && !isLoopback(new URL(url).hostname);
}
