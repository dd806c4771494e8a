import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "./errors.ts";
import { type AddressRange, parseRange } from "./lib/address.ts";
import { HOUR_MS } from "./lib/clock.ts";
import { MAX_SEED } from "./lib/seeded-random.ts";

/** How a setting is read: its flag is `--name`, its variable `RESORT_NAME`. */
interface Setting<T> {
	/** What stands for its value in the help text; absent for a switch. */
	readonly value?: string;
	readonly help: string;
	/** Its value when nothing is said; undefined leaves it null. */
	readonly preset?: string;
	/** Its value when nothing is said and the instance is a throwaway one. */
	readonly ephemeralPreset?: string;
	/** Further variables that are asked after its own. */
	readonly variables?: readonly string[];
	/** A secret's value is shown nowhere. */
	readonly secret?: true;
	/** What its value must be, as the end of a sentence. */
	readonly allowed: string;
	/** @returns undefined when the text is not allowed */
	readonly read: (text: string) => T | undefined;
}

const MAX_STAY_HOURS = 24 * 365 * 10;
const MIN_SECRET_LENGTH = 32;

/** The levels of the log, from the most told to the least. */
const logLevels = ["debug", "info", "warning", "error"] as const;

/** A level of the log. */
export type LogLevelName = (typeof logLevels)[number];

/** The settings of `resort serve`, in the order of its help text (decisions 1). */
export const settings = {
	host: {
		value: "HOST",
		help: "address to listen on",
		preset: "127.0.0.1",
		allowed: "an IP address or a host name",
		read: hostName,
	} satisfies Setting<string>,
	port: {
		value: "PORT",
		help: "port to listen on; 0 takes a free one",
		preset: "3000",
		ephemeralPreset: "0",
		variables: ["PORT"],
		allowed: "a whole number from 0 to 65535",
		read: (text) => wholeNumber(text, 65_535),
	} satisfies Setting<number>,
	database: {
		value: "FILE",
		help: "database file, made when it is not there; :memory: keeps nothing",
		preset: "resort.sqlite",
		ephemeralPreset: ":memory:",
		allowed: "a file in a folder that exists, or :memory:",
		read: (text) =>
			text === ":memory:" || (text !== "" && isFolder(dirname(text)))
				? text
				: undefined,
	} satisfies Setting<string>,
	"base-url": {
		value: "URL",
		help: "public address of the resort; the address it listens on when not given",
		allowed: "an http:// or https:// URL without query or fragment",
		read: baseAddress,
	} satisfies Setting<string>,
	"rate-limits": {
		value: "on|off",
		help: "whether callers are limited",
		preset: "on",
		ephemeralPreset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	"trusted-proxies": {
		value: "LIST",
		help: "addresses and CIDR ranges of proxies whose X-Forwarded-For is believed",
		preset: "",
		allowed: "a comma-separated list of IP addresses and CIDR ranges",
		read: addressRanges,
	} satisfies Setting<readonly AddressRange[]>,
	"max-stay": {
		value: "HOURS",
		help: "close a stay after so many hours, fractions allowed; 0 is never",
		preset: "0",
		allowed: `a number of hours from 0 to ${MAX_STAY_HOURS}`,
		read: hoursInMs,
	} satisfies Setting<number>,
	"identity-url": {
		value: "URL",
		help: "external identity provider; goes with --identity-secret",
		allowed: "an http:// or https:// URL without query or fragment",
		read: baseAddress,
	} satisfies Setting<string>,
	"identity-secret": {
		value: "SECRET",
		help: "secret shared with the identity provider; goes with --identity-url",
		secret: true,
		allowed: `one or two secrets of at least ${MIN_SECRET_LENGTH} characters, comma-separated`,
		read: identitySecrets,
	} satisfies Setting<readonly string[]>,
	"log-level": {
		value: "LEVEL",
		help: "least level that is logged: debug, info (a line a request), warning or error",
		preset: "info",
		allowed: "debug, info, warning or error",
		read: (text) => logLevels.find((level) => level === text),
	} satisfies Setting<LogLevelName>,
	"log-format": {
		value: "json|text",
		help: "a line of the log: a JSON object, or text for people",
		preset: "json",
		allowed: "json or text",
		read: (text) => (text === "json" || text === "text" ? text : undefined),
	} satisfies Setting<"json" | "text">,
	metrics: {
		help: "serve Prometheus metrics, at /metrics on an address of its own",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	"metrics-host": {
		value: "HOST",
		help: "address that --metrics listens on; whoever reaches it may read them",
		preset: "127.0.0.1",
		allowed: "an IP address or a host name",
		read: hostName,
	} satisfies Setting<string>,
	"metrics-port": {
		value: "PORT",
		help: "port that --metrics listens on; 0 takes a free one",
		preset: "9464",
		ephemeralPreset: "0",
		allowed: "a whole number from 0 to 65535",
		read: (text) => wholeNumber(text, 65_535),
	} satisfies Setting<number>,
	ephemeral: {
		help: "a throwaway instance: --database :memory:, --port 0, --metrics-port 0, --rate-limits off, unless told otherwise",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	seed: {
		value: "N",
		help: "same ids (but for their time), keys, rooms and texts at each run; only with --ephemeral: keys become guessable",
		allowed: `a whole number from 0 to ${MAX_SEED}`,
		read: (text) => wholeNumber(text, MAX_SEED),
	} satisfies Setting<number>,
	fixtures: {
		value: "FILE",
		help: "begin with the agents, stays, experiences, votes and postcards of a JSON file; only with --ephemeral",
		allowed: "a JSON file",
		read: (text) => text || undefined,
	} satisfies Setting<string>,
	"test-controls": {
		help: "let tests reset the resort and move its clock under /test; only with --ephemeral and a loopback host",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
} as const;

type Settings = typeof settings;
type SettingName = keyof Settings;

/** What was read of every setting; null where nothing was said and nothing is preset. */
export type Config = {
	readonly [Name in SettingName]:
		| Exclude<ReturnType<Settings[Name]["read"]>, undefined>
		| (Settings[Name] extends { preset: string } ? never : null);
};

/** What was given on the command line, by name without its dashes. */
export type Flags = Readonly<Record<string, string>>;

/** The process's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings: a flag wins over a variable, a variable over what is preset.
 * @throws StartError with exit code 2 that names the setting, its value and what is allowed
 */
export function readConfig(flags: Flags, environment: Environment): Config {
	const names = Object.keys(settings) as SettingName[];
	const config = readSettings(names, flags, environment);
	if (
		(config["identity-url"] === null) !==
		(config["identity-secret"] === null)
	) {
		throw new StartError(
			"--identity-url and --identity-secret go together: give both or neither",
			2,
		);
	}
	const isThrowaway = config.ephemeral && config.database === ":memory:";
	// Guessable keys must not be kept, nor be drawn a second time for the same database.
	if (config.seed !== null && !isThrowaway) {
		throw new StartError(
			"--seed makes keys guessable: it goes only with --ephemeral and a database that is :memory:",
			2,
		);
	}
	if (config.fixtures !== null && !isThrowaway) {
		throw new StartError(
			"--fixtures goes only with --ephemeral and a database that is :memory:",
			2,
		);
	}
	// What anyone may empty must neither be kept nor be reached from elsewhere.
	if (config["test-controls"] && !(isThrowaway && isLoopback(config.host))) {
		throw new StartError(
			"--test-controls goes only with --ephemeral, a database that is :memory: and a --host that is a loopback address",
			2,
		);
	}
	return config;
}

/**
 * Reads some settings, whatever the others say.
 * @throws StartError as {@link readConfig}
 */
export function readSettings<Name extends SettingName>(
	names: readonly Name[],
	flags: Flags,
	environment: Environment,
): Pick<Config, Name> {
	const ephemeral = read("ephemeral", flags, environment, false) === true;
	const entries = names.map((name) => [
		name,
		read(name, flags, environment, ephemeral),
	]);
	return Object.freeze(Object.fromEntries(entries));
}

/** A setting in force. */
export interface SettingInForce {
	readonly name: string;
	/** What was said, before it is read; null when nothing was said and nothing is preset. */
	readonly text: string | null;
	/** The flag or variable that says so; null when it is preset. */
	readonly from: string | null;
}

/**
 * Tells every setting in force and where it comes from, in the order of {@link settings}; of a secret
 * not a word.
 */
export function describeSettings(
	flags: Flags,
	environment: Environment,
): SettingInForce[] {
	const { ephemeral } = readSettings(["ephemeral"], flags, environment);
	return (Object.keys(settings) as SettingName[]).map((name) => {
		const { text = null, from } = said(name, flags, environment, ephemeral);
		const isSecret = "secret" in settings[name] && text !== null;
		return { name, text: isSecret ? "(hidden)" : text, from };
	});
}

/**
 * Reads one setting.
 * @throws StartError with exit code 2, as {@link readConfig}
 */
function read(
	name: SettingName,
	flags: Flags,
	environment: Environment,
	ephemeral: boolean,
): unknown {
	const setting: Setting<unknown> = settings[name];
	const { text, from } = said(name, flags, environment, ephemeral);
	if (text === undefined) return null;
	const value = setting.read(text);
	if (value !== undefined) return value;
	const shown = setting.secret ? "" : ` ${JSON.stringify(text)}`;
	throw new StartError(
		`${from ?? `--${name}`}${shown}: must be ${setting.allowed}`,
		2,
	);
}

/** What is said of a setting, given or preset, and by which flag or variable when it is given. */
function said(
	name: SettingName,
	flags: Flags,
	environment: Environment,
	ephemeral: boolean,
): { text: string | undefined; from: string | null } {
	const setting: Setting<unknown> = settings[name];
	const given = source(name, setting, flags, environment);
	if (given !== null) return { text: given.text, from: given.label };
	const preset =
		(ephemeral ? setting.ephemeralPreset : undefined) ?? setting.preset;
	return { text: preset, from: null };
}

/** Where a setting was given. A variable that is empty counts as not set. */
function source(
	name: SettingName,
	setting: Setting<unknown>,
	flags: Flags,
	environment: Environment,
): { label: string; text: string } | null {
	const flag = flags[name];
	if (flag !== undefined) return { label: `--${name}`, text: flag };
	for (const label of [variableOf(name), ...(setting.variables ?? [])]) {
		const text = environment[label];
		if (text) return { label, text };
	}
	return null;
}

/** The environment variable of a setting. */
export function variableOf(name: string): string {
	return `RESORT_${name.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * A whole number from 0 on, in plain decimal digits.
 * @returns undefined when the text is none, or the number is more than the most allowed
 */
export function wholeNumber(text: string, most: number): number | undefined {
	return /^\d{1,10}$/.test(text) && Number(text) <= most
		? Number(text)
		: undefined;
}

function hostName(text: string): string | undefined {
	return /^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined;
}

function onOrOff(text: string): boolean | undefined {
	if (["1", "true", "on"].includes(text)) return true;
	return ["0", "false", "off"].includes(text) ? false : undefined;
}

/**
 * An address without the slashes at its end; it may have a path, but nothing behind it.
 * @returns undefined when the text is no such address
 */
export function baseAddress(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
	if (url.search || url.hash || url.username || url.password) return undefined;
	return (url.origin + url.pathname).replace(/\/+$/, "");
}

function addressRanges(text: string): readonly AddressRange[] | undefined {
	if (text === "") return [];
	const ranges = text.split(",").map((range) => parseRange(range.trim()));
	return ranges.every((range) => range !== null) ? ranges : undefined;
}

function hoursInMs(text: string): number | undefined {
	if (!/^\d{1,6}(\.\d{1,9})?$/.test(text)) return undefined;
	const hours = Number(text);
	if (hours > MAX_STAY_HOURS) return undefined;
	return hours === 0 ? 0 : Math.max(1, Math.round(hours * HOUR_MS));
}

function identitySecrets(text: string): readonly string[] | undefined {
	const secrets = text.split(",");
	return secrets.length <= 2 &&
		secrets.every((secret) => secret.length >= MIN_SECRET_LENGTH)
		? secrets
		: undefined;
}

function isLoopback(host: string): boolean {
	return /^(localhost|::1|127(\.\d{1,3}){3})$/.test(host);
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}
