import { type AddressRange, hostName } from "../lib/ip-address.ts";
import { MAX_SEED } from "../lib/seeded-random.ts";
import { wholeNumber } from "../lib/text.ts";
import { engineOf, engines } from "../store/engines.ts";
import {
	addressRanges,
	baseAddress,
	contactAddress,
	hostNames,
	hoursInMs,
	identitySecrets,
	MAX_HOSTS,
	MAX_STAY_HOURS,
	MIN_SECRET_LENGTH,
	momentInMs,
	onOrOff,
	urlPath,
} from "./setting-values.ts";

/**
 * How a setting is read: its flag is `--name`, its variable `RESORT_NAME`, its key in a configuration file
 * `name`.
 */
export interface Setting<T> {
	/** What stands for its value in the help text; absent for a switch. */
	readonly value?: string;
	readonly help: string;
	/** Its value when nothing is given; without a preset it is null. */
	readonly preset?: string;
	/** Its preset in a throwaway instance. */
	readonly ephemeralPreset?: string;
	/** Further variables that are read after its own. */
	readonly variables?: readonly string[];
	/** A secret's value is shown nowhere. */
	readonly secret?: true;
	/** What may be shown of a value that holds a secret, right or wrong; without it all of it may. */
	readonly show?: (text: string) => string;
	/** What its value must be, as the end of a sentence. */
	readonly allowed: string;
	/** Why a text is not allowed, where that is more than {@link allowed} says; null when it is not known better. */
	readonly fault?: (text: string) => string | null;
	/** @returns undefined when the text is not allowed */
	readonly read: (text: string) => T | undefined;
}

/** Who may register. */
const registrations = ["open", "invite", "closed"] as const;

/** The levels of the log, from the most lines to the fewest. */
const logLevels = ["debug", "info", "warning", "error"] as const;

/** A level of the log. */
export type LogLevelName = (typeof logLevels)[number];

/** All connections of an instance to PostgreSQL: two to write and two to read at the least. */
const MIN_CONNECTIONS = 4;
const MAX_CONNECTIONS = 1000;

/** Settings of earlier versions, and why each was removed. */
export const removedSettings: Readonly<Record<string, string>> = {
	"admin-socket":
		"removed, as resort admin opens the database itself and needs no socket: leave this setting out",
};

/** The settings of `resort serve`, in the order of its help text. */
export const settings = {
	config: {
		value: "FILE",
		help: "TOML file of settings, each named as its flag; flags and variables win over it",
		allowed: "a TOML file",
		read: (text) => text || undefined,
	} satisfies Setting<string>,
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
		value: "FILE|URL",
		help: "file, made when it is not there; :memory: keeps nothing; postgres://USER@HOST/NAME",
		preset: "resort.sqlite",
		ephemeralPreset: ":memory:",
		show: (text) => engineOf(text).shown(text),
		allowed: engines.map(({ databases }) => databases).join(", or "),
		fault: (text) => engineOf(text).faultOf(text),
		read: (text) => (engineOf(text).accepts(text) ? text : undefined),
	} satisfies Setting<string>,
	"database-connections": {
		value: "N",
		help: "connections to PostgreSQL, of which half write; only with a postgres:// --database",
		preset: "16",
		allowed: `a whole number from ${MIN_CONNECTIONS} to ${MAX_CONNECTIONS}`,
		read: (text) => wholeNumber(text, MAX_CONNECTIONS, MIN_CONNECTIONS),
	} satisfies Setting<number>,
	"base-url": {
		value: "URL",
		help: "public address of the resort; the address it listens on when not given",
		allowed:
			"an http:// or https:// URL without credentials, query or fragment",
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
	registration: {
		value: "MODE",
		help: "who may register: open, invite (who has a code of resort admin invite), or closed",
		preset: "open",
		allowed: "open, invite or closed",
		read: (text) => registrations.find((one) => one === text),
	} satisfies Setting<(typeof registrations)[number]>,
	page: {
		value: "on|off",
		help: "whether there are pages for people; the API is there in any case",
		preset: "on",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	"security-contact": {
		value: "ADDRESS",
		help: "whom to tell of a weakness, in /.well-known/security.txt",
		allowed: "an e-mail address, or an address with https:, mailto: or tel:",
		read: contactAddress,
	} satisfies Setting<string>,
	webhooks: {
		value: "on|off",
		help: "whether agents may have events sent to URLs",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	"webhooks-allow": {
		value: "LIST",
		help: "addresses and CIDR ranges that webhooks may go to although they are not public, also by http:",
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
	"keep-events": {
		value: "HOURS",
		help: "forget events after so many hours, fractions allowed; 1,000,000 are kept at most",
		preset: "168",
		allowed: `a number of hours above 0, ${MAX_STAY_HOURS} at most`,
		read: (text) => hoursInMs(text) || undefined,
	} satisfies Setting<number>,
	"identity-url": {
		value: "URL",
		help: "external identity provider; goes with --identity-secret",
		allowed:
			"an http:// or https:// URL without credentials, query or fragment",
		read: baseAddress,
	} satisfies Setting<string>,
	"identity-introspection-path": {
		value: "PATH",
		help: "where the identity provider tells whose a central key is",
		preset: "/oauth2/introspect",
		allowed: "a path that begins with / and has neither query nor fragment",
		read: urlPath,
	} satisfies Setting<string>,
	"identity-secret": {
		value: "SECRET",
		help: "secret shared with the identity provider; goes with --identity-url",
		secret: true,
		allowed: `one or two secrets of at least ${MIN_SECRET_LENGTH} characters, comma-separated`,
		read: identitySecrets,
	} satisfies Setting<readonly [string, ...string[]]>,
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
	"log-addresses": {
		value: "on|off",
		help: "whether log lines of 401, 403 and 429 have the caller's address, for fail2ban",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
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
	now: {
		value: "TIME",
		help: "begin the clock there, such as 2026-03-10T12:00:00Z, and go back there at a reset; only with --ephemeral",
		allowed: "a UTC time such as 2026-03-10T12:00:00Z, from 1970 to 9999-12-31",
		read: momentInMs,
	} satisfies Setting<number>,
	frozen: {
		help: "let the clock stand until a test moves it; only with --ephemeral",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	seed: {
		value: "N",
		help: "same ids, keys, rooms and texts at each run; only with --ephemeral: keys become guessable",
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
		help: "let tests reset the resort, move its clock and let calls fail under /test; only with --ephemeral and a loopback host",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
	"test-hosts": {
		value: "NAMES",
		help: "further names by which --test-controls may be called; then --host may be any",
		preset: "",
		allowed: `a comma-separated list of at most ${MAX_HOSTS} host names or addresses, without ports`,
		read: hostNames,
	} satisfies Setting<readonly string[]>,
	"exit-with-parent": {
		help: "end in order when stdin closes, as when the program that started it is killed; only with --ephemeral",
		preset: "off",
		allowed: "on or off",
		read: onOrOff,
	} satisfies Setting<boolean>,
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The environment variable of a setting. */
export function variableOf(name: string): string {
	return `RESORT_${name.toUpperCase().replaceAll("-", "_")}`;
}
