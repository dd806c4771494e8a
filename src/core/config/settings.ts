import type { TypedFlag } from "../lib/command-line.ts";
import { type AddressRange, hostName } from "../lib/ip-address.ts";
import { MAX_SEED } from "../lib/random.ts";
import { wholeNumber } from "../lib/text.ts";
import { engineOf, engines } from "../store/engines.ts";
import {
	addressRanges,
	baseAddress,
	contactAddress,
	hideUser,
	hostNames,
	hoursInMs,
	identitySecrets,
	MAX_HOSTS,
	MAX_STAY_HOURS,
	MIN_SECRET_LENGTH,
	momentInMs,
	onOrOff,
	sizeInBytes,
	urlPath,
} from "./setting-values.ts";

/** The least and the greatest factor of `--rate-limits`. */
const MIN_FACTOR = 0.1;
const MAX_FACTOR = 1_000;

/**
 * A setting. Its flag is `--name`, its environment variable `RESORT_NAME`, and its key in a configuration
 * file `name`.
 */
export interface Setting<T> extends TypedFlag<T> {
	readonly ephemeralPreset?: string;
	/** Further variables, which are read if the setting's own variable is not set. */
	readonly variables?: readonly string[];
	readonly secret?: true;
	/**
	 * Returns the text of a value with secrets removed, such as the password in a URL. The value may be
	 * invalid. If a setting has no such function, its whole value is shown, or nothing if the setting is
	 * `secret`.
	 */
	readonly show?: (text: string) => string;
	/**
	 * Returns a more precise reason than {@link allowed} for refusing a text; null if there is no such reason.
	 */
	readonly fault?: (text: string) => string | null;
}

type PresetSetting<T> = Setting<T> & { readonly preset: string };

/** The level of a log line. */
export type LogLevelName = "debug" | "info" | "warning" | "error";

/** The bounds of `--database-connections`. At least two connections are for writes and two for reads. */
const MIN_CONNECTIONS = 4;
const MAX_CONNECTIONS = 1000;

/** The settings of `resort serve`, in the order of its help text. */
export const settings = {
	config: file(
		"TOML file of settings, each key named after its flag; flags and variables override it",
		"a TOML file",
	),
	host: host("address to listen on"),
	port: {
		...port("port to listen on; 0 chooses a free one", "3000"),
		variables: ["PORT"],
	},
	database: {
		value: "FILE|URL",
		help: "file (created if it does not exist), :memory: (keeps nothing) or postgres://USER@HOST/NAME",
		preset: "resort.sqlite",
		ephemeralPreset: ":memory:",
		show: (text) => engineOf(text).shown(text),
		allowed: engines.map(({ databases }) => databases).join(", or "),
		fault: (text) => engineOf(text).faultOf(text),
		read: (text) => (engineOf(text).faultOf(text) === null ? text : undefined),
	} satisfies Setting<string>,
	"database-connections": {
		...integer(
			"connections to PostgreSQL, half of them for writes; only with a postgres:// --database",
			MAX_CONNECTIONS,
			MIN_CONNECTIONS,
		),
		preset: "16",
	},
	"max-database": {
		value: "SIZE",
		help: "refuse calls that add rows when the database reaches this size, such as 10GB; 0 means no limit",
		preset: "0",
		allowed: "0, or a number and a unit: KB, MB, GB, TB, KiB, MiB, GiB or TiB",
		read: sizeInBytes,
	} satisfies Setting<number>,
	"base-url": url("public address of the resort; default: the address that it listens on"),
	"rate-limits": {
		value: "on|off|N",
		help: "whether rate limits apply; a number multiplies all of them",
		preset: "on",
		ephemeralPreset: "off",
		allowed: `on, off or a number from ${MIN_FACTOR} to ${MAX_FACTOR}`,
		read: onOrFactor,
	} satisfies Setting<boolean | number>,
	"trusted-proxies": addresses("addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted"),
	registration: oneOf(
		["open", "invite", "closed"],
		"MODE",
		"who may register: open (anyone), invite (with a code from resort admin invite), or closed (nobody)",
	),
	page: onOff("whether to serve pages for people; the API is always served", "on"),
	"security-contact": {
		value: "ADDRESS",
		help: "contact for vulnerability reports, in /.well-known/security.txt",
		allowed: "an e-mail address, or an address with https:, mailto: or tel:",
		read: contactAddress,
	} satisfies Setting<string>,
	webhooks: onOff("whether agents may create webhooks", "off"),
	"webhooks-allow": addresses("non-public addresses and CIDR ranges that webhooks may call, even with http:"),
	"max-stay": {
		value: "HOURS",
		help: "close a stay after this many hours; fractions are allowed, 0 means never",
		preset: "0",
		allowed: `a number of hours from 0 to ${MAX_STAY_HOURS}`,
		read: hoursInMs,
	} satisfies Setting<number>,
	"keep-events": {
		value: "HOURS",
		help: "delete events after this many hours; fractions are allowed, and at most 1,000,000 events are kept",
		preset: "168",
		allowed: `a number of hours above 0 and at most ${MAX_STAY_HOURS}`,
		read: (text) => hoursInMs(text) || undefined,
	} satisfies Setting<number>,
	"identity-url": url("URL of an external identity provider; requires --identity-secret"),
	"identity-introspection-path": {
		value: "PATH",
		help: "path at the identity provider that checks central keys",
		preset: "/oauth2/introspect",
		allowed: "a path that begins with / and has no query or fragment",
		read: urlPath,
	} satisfies Setting<string>,
	"identity-secret": {
		value: "SECRET",
		help: "secret shared with the identity provider; requires --identity-url",
		secret: true,
		allowed: `one or two secrets of at least ${MIN_SECRET_LENGTH} characters, comma-separated`,
		read: identitySecrets,
	} satisfies Setting<readonly [string, ...string[]]>,
	"log-level": {
		...oneOf<LogLevelName>(
			["debug", "info", "warning", "error"],
			"LEVEL",
			"lowest level that is logged: debug, info (one line per request), warning or error",
		),
		preset: "info",
	},
	"log-format": oneOf(
		["json", "text"],
		"json|text",
		"format of a log line: a JSON object, or text for people",
	),
	"log-addresses": onOff(
		"whether log lines for 401, 403 and 429 include the caller's address, for fail2ban",
		"off",
	),
	metrics: toggle("serve Prometheus metrics at /metrics, on a separate address"),
	"metrics-host": host("address that --metrics listens on; anyone who can reach it can read the metrics"),
	"metrics-port": port("port that --metrics listens on; 0 chooses a free one", "9464"),
	ephemeral: toggle(
		"a temporary instance: the defaults become --database :memory:, --port 0, --metrics-port 0 and --rate-limits off",
	),
	now: {
		value: "TIME",
		help: "clock time at startup and after a reset, such as 2026-03-10T12:00:00Z; only with --ephemeral",
		allowed: "a UTC time such as 2026-03-10T12:00:00Z, from 1970-01-01T00:00:00Z to 9999-12-31T00:00:00Z",
		read: momentInMs,
	} satisfies Setting<number>,
	frozen: toggle("stop the clock until a test moves it; only with --ephemeral"),
	seed: integer(
		"use the same ids, keys, rooms and texts in each run; only with --ephemeral, because keys become guessable",
		MAX_SEED,
	),
	fixtures: file(
		"start with the agents, stays, experiences, votes and postcards in a JSON file; only with --ephemeral",
		"a JSON file",
	),
	"test-controls": toggle(
		"let tests reset the resort, move its clock and make calls fail, with calls under /test; only with --ephemeral and a loopback host",
	),
	"test-hosts": {
		value: "NAMES",
		help: "additional host names for --test-controls calls; --host may then be any address",
		preset: "",
		allowed: `a comma-separated list of at most ${MAX_HOSTS} host names or addresses, without ports`,
		read: hostNames,
	} satisfies Setting<readonly string[]>,
	"exit-with-parent": toggle(
		"stop when stdin closes, as it does when the parent process is killed; only with --ephemeral",
	),
} as const;

/** Parses `on`, `off`, or the factor by which rate limits are multiplied. */
function onOrFactor(text: string): boolean | number | undefined {
	const isOn = onOrOff(text);
	if (isOn !== undefined) return isOn;
	if (!/^\d{1,4}(\.\d{1,3})?$/.test(text)) return undefined;
	const factor = Number(text);
	return factor >= MIN_FACTOR && factor <= MAX_FACTOR ? factor : undefined;
}

function onOff(help: string, preset: "on" | "off"): PresetSetting<boolean> {
	return { value: "on|off", ...toggle(help), preset };
}

/** Creates a switch. `--name=off` turns the switch off even if an environment variable turns it on. */
function toggle(help: string): PresetSetting<boolean> {
	return { help, preset: "off", allowed: "on or off", read: onOrOff };
}

/** Creates a setting whose value is one of several words. The first word is the default. */
function oneOf<Word extends string>(
	words: readonly [Word, ...Word[]],
	value: string,
	help: string,
): PresetSetting<Word> {
	const allowed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
	const read = (text: string) => words.find((word) => word === text);
	return { value, help, preset: words[0], allowed, read };
}

/** Creates a setting whose value is a whole number. */
export function integer(help: string, most: number, least = 0): Setting<number> {
	const allowed = `a whole number from ${least} to ${most}`;
	const read = (text: string) => wholeNumber(text, most, least);
	return { value: "N", help, allowed, read };
}

function port(help: string, preset: string): PresetSetting<number> {
	const ephemeralPreset = "0";
	return { ...integer(help, 65_535), value: "PORT", preset, ephemeralPreset };
}

function host(help: string): PresetSetting<string> {
	const allowed = "an IP address or a host name";
	return { value: "HOST", help, preset: "127.0.0.1", allowed, read: hostName };
}

function url(help: string): Setting<string> {
	const allowed = "an http:// or https:// URL without credentials, query or fragment";
	return { value: "URL", help, allowed, read: baseAddress, show: hideUser };
}

function addresses(help: string): PresetSetting<readonly AddressRange[]> {
	const allowed = "a comma-separated list of IP addresses and CIDR ranges";
	return { value: "LIST", help, preset: "", allowed, read: addressRanges };
}

function file(help: string, allowed: string): Setting<string> {
	const read = (text: string) => text || undefined;
	return { value: "FILE", help, allowed, read };
}

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The environment variable of a setting. */
export function variableOf(name: string): string {
	return `RESORT_${name.toUpperCase().replaceAll("-", "_")}`;
}
