import { HOUR_MS } from "../lib/clock.ts";
import { type Engine, engineOf } from "../store/engine.ts";
import type { Setting, Values } from "./setting.ts";
import { addresses, file, host, oneOf, onOff, onOrOff, port, toggle, url } from "./setting-kinds.ts";

/** The maximum value of `--max-stay`. */
const MAX_STAY_HOURS = 24 * 365 * 10;

/** The least and the greatest factor of `--rate-limits`. */
const MIN_FACTOR = 0.1;
const MAX_FACTOR = 1_000;

/** The level of a log line. */
export type LogLevelName = "debug" | "info" | "warning" | "error";

/**
 * Creates the settings of the core, in the order of the help text of `resort serve`.
 * @param engines as for {@link engineOf}
 */
export function coreSettings(engines: readonly Engine[]) {
	return {
		config: file(
			"TOML file of settings, each key named after its flag; flags and variables override it",
			"a TOML file",
		),
		host: host("address to listen on"),
		port: { ...port("port to listen on; 0 chooses a free one", "3000"), variables: ["PORT"] },
		database: databaseSetting(engines),
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
		ephemeral: toggle(
			"a temporary instance: the defaults become --database :memory:, free ports and --rate-limits off",
		),
		"exit-with-parent": toggle(
			"stop when stdin closes, as it does when the parent process is killed; only with --ephemeral",
		),
	} as const;
}

/** The settings of the core. */
export type CoreSettings = ReturnType<typeof coreSettings>;

/** The values of the settings of the core. */
export type CoreConfig = Values<CoreSettings>;

function databaseSetting(engines: readonly Engine[]) {
	const [own] = engines;
	const prefixes = engines.flatMap(({ urlPrefix }) =>
		urlPrefix === undefined ? [] : `begin with ${urlPrefix}`,
	);
	const fault = (text: string): string | null => {
		const engine = engineOf(engines, text);
		const reason = engine.faultOf(text);
		return reason && engine === own ? [reason, ...prefixes].join(", or ") : reason;
	};
	const forms = engines.flatMap((engine) => engine.forms);
	return {
		value: "FILE|URL",
		help: `${forms.slice(0, -1).join(", ")} or ${forms.at(-1)}`,
		preset: "resort.sqlite",
		ephemeralPreset: ":memory:",
		show: (text) => engineOf(engines, text).shown(text),
		allowed: engines.map(({ databases }) => databases).join(", or "),
		fault,
		read: (text) => (fault(text) === null ? text : undefined),
	} as const satisfies Setting<string>;
}

/** Parses `on`, `off`, or the factor by which rate limits are multiplied. */
function onOrFactor(text: string): boolean | number | undefined {
	const isOn = onOrOff(text);
	if (isOn !== undefined) return isOn;
	if (!/^\d{1,4}(\.\d{1,3})?$/.test(text)) return undefined;
	const factor = Number(text);
	return factor >= MIN_FACTOR && factor <= MAX_FACTOR ? factor : undefined;
}

/** Parses a decimal number of hours. Returns milliseconds: 0 for 0, else at least 1. */
function hoursInMs(text: string): number | undefined {
	if (!/^\d{1,6}(\.\d{1,9})?$/.test(text)) return undefined;
	const hours = Number(text);
	if (hours > MAX_STAY_HOURS) return undefined;
	return hours === 0 ? 0 : Math.max(1, Math.round(hours * HOUR_MS));
}

/** Parses 0, or a decimal number with a unit in any case, such as `1.5GB` or `512 MiB`, as bytes. */
function sizeInBytes(text: string): number | undefined {
	if (text === "0") return 0;
	const [, number, prefix = "", binary] =
		/^(\d{1,6}(?:\.\d{1,3})?) ?([KMGT])(I?)B$/.exec(text.toUpperCase()) ?? [];
	if (number === undefined) return undefined;
	const power = "KMGT".indexOf(prefix) + 1;
	const bytes = Number(number) * (binary ? 1024 : 1000) ** power;
	return Math.round(bytes) || undefined;
}
