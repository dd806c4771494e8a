import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Config, describeConfig } from "../config/config.ts";
import { type Flags, unknownVariables } from "../config/setting-sources.ts";
import { settings } from "../config/settings.ts";
import { DAY_MS, toTimestamp } from "../lib/clock.ts";
import { reasonOf } from "../lib/error-reason.ts";
import { isLoopback } from "../lib/ip-address.ts";
import { MAX_IN_ALL } from "../pipeline/concurrency-limit.ts";
import { type CheckResult, fail, ok, SERVED, warn } from "../store/check-result.ts";
import { engineOf } from "../store/engines.ts";
import { examineInstance } from "./examine-instance.ts";
import { print } from "./print.ts";
import type { Command } from "./resort-command.ts";

/**
 * The number of open files that an instance needs: one for each possible event stream and waiting call, and
 * 1,000 for the rest.
 */
const NEEDED_FILES = MAX_IN_ALL + 1_000;

/** Matches the names of the files that `resort backup --dir` creates. */
const BACKUP = /^resort-\d{8}T\d{6}Z\./;

/** Matches a database URL that contains a password. */
const PASSWORD = /:\/\/[^/@]*:[^/@]*@|[?&]password=/;

/** An earlier time means that the machine's clock was never set. */
const EARLIEST_MS = Date.parse("2025-01-01");

/** The checks that are printed even if their result is good. */
const SHOWN = ["settings", "instance", "public address", "certificate"];

/** The age from which a backup is stale. The example resort-backup.timer creates one backup a day. */
const STALE_MS = 2 * DAY_MS;

const flags = {
	...settings,
	all: { help: "print all checks and settings, including those that are ok" },
};

/** `resort doctor` */
export const doctor: Command = {
	summary: "Check the running instance, its public address, the database, the machine and the settings",
	about: `Changes nothing. Takes the flags of serve. Prints the main results, all settings that differ from their defaults, and every problem.
A line consists of ok, warn or fail, the name of the check, the result and what to do. Exit code 1 if a check fails,
for example because the instance or the public address does not respond, 2 if a setting is invalid, else 0.`,
	words: "",
	flags,
	async run({ flags: { all, ...given } }) {
		const findings = await examine(given, all !== undefined);
		const shown = findings.filter(
			({ level, name }) => all !== undefined || level !== "ok" || SHOWN.includes(name),
		);
		for (const { level, name, what } of shown) {
			const line = `${level.padEnd(4)}  ${name.padEnd(17)}  ${what}`;
			print(`${line.replaceAll(/[\r\n]+/g, " ")}\n`);
		}
		const good = findings.length - shown.length;
		if (good > 0) print(`More checks that are ok: ${good} (--all prints them).\n`);
		if (findings.some(({ level }) => level === "fail")) process.exitCode = 1;
	},
};

async function examine(given: Flags, isComplete: boolean): Promise<CheckResult[]> {
	const { config, inForce } = describeConfig(given, process.env);
	const nowMs = Date.now();
	const database = await engineOf(config.database).examine({
		database: config.database,
		connections: config["database-connections"],
		maxBytes: config["max-database"],
		environment: process.env,
	});
	const served = database.find(({ name }) => name === "served");
	const isServed = served === undefined ? null : served.what === SERVED;
	return [
		...(await examineInstance(config, isServed)),
		...database,
		(nowMs < EARLIEST_MS ? fail : ok)("clock", new Date(nowMs).toISOString()),
		...(isComplete ? describeAll(inForce) : describeChanged(inForce)),
		...advise(config),
		...examineBackups(config.database, nowMs),
		...examineSecrecy(config, inForce),
		...unknownVariables(process.env).map((variable) => warn("unknown variable", variable)),
	];
}

type InForce = ReturnType<typeof describeConfig>["inForce"];

function describeAll(inForce: InForce): CheckResult[] {
	return inForce.map(({ name, text, from }) => {
		const value = text === null ? "not set" : text || "none";
		return ok(`--${name}`, `${value} (${from ?? "default"})`);
	});
}

/** Describes the settings that differ from the defaults, in one line. */
function describeChanged(inForce: InForce): CheckResult[] {
	const changed = inForce.filter(({ isDefault }) => !isDefault);
	if (changed.length === 0) return [];
	const parts = changed.map(({ name, text }) => `--${name} ${text}`);
	return [ok("settings", parts.join(", "))];
}

/**
 * Warns if the newest backup is stale. Examines the folder to which the example resort-backup.service writes.
 */
function examineBackups(database: string, nowMs: number): CheckResult[] {
	if (!existsSync(database)) return [];
	const folder = `${dirname(realpathSync(database))}-backups`;
	const name = "backups";
	try {
		const newestMs = (existsSync(folder) ? readdirSync(folder) : [])
			.filter((file) => BACKUP.test(file))
			.map((file) => statSync(join(folder, file)).mtimeMs)
			.reduce((one, other) => Math.max(one, other), 0);
		const what =
			newestMs === 0 ? `${folder} has none` : `the newest in ${folder} is from ${toTimestamp(newestMs)}`;
		return nowMs - newestMs <= STALE_MS
			? [ok(name, what)]
			: [
					warn(
						name,
						`${what}: sudo systemctl enable --now resort-backup.timer, and see journalctl -u resort-backup`,
					),
				];
	} catch (error) {
		const reason = reasonOf(error);
		return [ok(name, `not checked: ${folder} cannot be read (${reason})`)];
	}
}

/** Warns if everybody can read a configuration file that contains a secret. */
function examineSecrecy(config: Config, inForce: InForce): CheckResult[] {
	const { config: file } = config;
	if (file === null || (statSync(file).mode & 0o004) === 0) return [];
	const hasPassword = PASSWORD.test(config.database);
	const secrets = inForce
		.filter(({ from }) => from?.startsWith(`${file}: `))
		.map(({ name }) => name)
		.filter((name) => name === "identity-secret" || (name === "database" && hasPassword));
	if (secrets.length === 0) return [];
	return [
		warn(
			"configuration",
			`anyone can read ${file}, which contains ${secrets.join(" and ")}: sudo chown root:resort ${file} && sudo chmod 640 ${file}`,
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
	// For an ephemeral instance, the base URL is ignored, because tests may invent one.
	const isPublic =
		!isLoopback(host) || (!config.ephemeral && base !== null && !isLoopback(new URL(base).hostname));
	const files = maxOpenFiles();
	const warnings: [applies: boolean, name: string, what: string][] = [
		[
			isLimited && base !== null && isHttps(base) && proxies.length === 0,
			"trusted proxies",
			'an https --base-url implies a proxy, but --trusted-proxies is empty: all agents share the limits of one address; set trusted-proxies to the proxy\'s addresses, such as ["127.0.0.1", "::1"]',
		],
		[
			isLimited && proxies.some(([, prefix]) => prefix === 0),
			"trusted proxies",
			"a /0 range trusts every address: any caller can choose the address that rate limits apply to",
		],
		[
			!isLimited && isPublic,
			"rate limits",
			`off: anyone who can reach ${isLoopback(host) ? base : `--host ${host}`} can register and write without limit; remove --rate-limits off`,
		],
		[
			base !== null && isOpenHttp(base),
			"base URL",
			"http: keys are sent in plain text, and browsers accept the session cookie only over https",
		],
		[
			base === null && !isLoopback(host),
			"base URL",
			`--base-url is not set: with --host ${host}, the guides show an address that others may not be able to reach`,
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
			`at most ${files}, but ${MAX_IN_ALL} event streams and waiting calls require ${NEEDED_FILES} (LimitNOFILE=65536 in systemd, ulimit -n 65536)`,
		],
	];
	return warnings.filter(([applies]) => applies).map(([, name, what]) => warn(name, what));
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
