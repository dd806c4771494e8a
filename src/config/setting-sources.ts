import type { Environment } from "../lib/environment.ts";
import { withNearest } from "../lib/nearest-name.ts";
import { readText } from "../lib/read-text.ts";
import { StartError } from "../lib/start-error.ts";
import { readConfigFile, removedSetting, textOf } from "./config-file.ts";
import {
	removedSettings,
	type Setting,
	type SettingName,
	settings,
	variableOf,
} from "./settings.ts";

/** The flags of a command line, by name without dashes. */
export type Flags = Readonly<Record<string, string>>;

/** The variable with the address of the instance, for the command of `resort test`. */
export const URL_VARIABLE = "RESORT_URL";

/** The variable with the keys of the fixtures' agents, for that command: a JSON object from id to key. */
export const KEYS_VARIABLE = "RESORT_AGENT_KEYS";

const MAX_SHOWN = 64;

/** In a quoted URL: its scheme, and everything that may be a user name and a password. */
const CREDENTIALS = /^("(?:[a-z]+:\/\/)?).*@/i;

/** The value of a setting, and its source. */
export interface Given {
	/** The flag, the variable, or the file and its key. */
	readonly from: string;
	/** The value as for the flag. */
	readonly text: string;
	/** What an error shows after {@link from}; never a secret. */
	readonly shown: string;
}

/** Returns the given value of a setting; null if there is none. @throws StartError with exit code 2 */
export type Sources = (name: SettingName) => Given | null;

/**
 * Opens the sources of settings. A flag overrides a variable, a variable its file, and that the configuration file.
 * @throws StartError with exit code 2
 */
export function openSources(flags: Flags, environment: Environment): Sources {
	for (const name of Object.keys(removedSettings)) {
		for (const variable of variablesOf(name)) {
			if (environment[variable]) throw removedSetting(variable, name);
		}
	}
	const cache = new Map<SettingName, Given | null>();
	const outsideFile = (name: SettingName): Given | null => {
		const cached = cache.get(name);
		if (cached !== undefined) return cached;
		const text = flags[name];
		const given =
			text === undefined
				? inEnvironment(name, environment)
				: give(name, `--${name}`, text);
		cache.set(name, given);
		return given;
	};
	const config = outsideFile("config");
	if (config === null) return outsideFile;
	const path = settings.config.read(config.text);
	if (path === undefined) throw refusal(settings.config, config, config.text);
	const values = readConfigFile(path, config.from + config.shown);
	return (name) => outsideFile(name) ?? inConfigFile(name, path, values);
}

/** Returns the error that refuses a value. The text is undefined if no flag can have the value. */
export function refusal(
	setting: Setting<unknown>,
	{ from, shown }: Pick<Given, "from" | "shown">,
	text: string | undefined,
): StartError {
	const fault = text === undefined ? null : setting.fault?.(text);
	return new StartError(
		`${from}${shown}: ${fault ?? `must be ${setting.allowed}`}`,
		2,
	);
}

/** Refuses the flags of removed settings. What follows `--` is for another program. @throws StartError */
export function refuseRemovedFlags(args: readonly string[]): void {
	const end = args.indexOf("--");
	for (const arg of end === -1 ? args : args.slice(0, end)) {
		const [flag = ""] = arg.split("=");
		const name = flag.slice(2);
		if (flag.startsWith("--") && Object.hasOwn(removedSettings, name)) {
			throw removedSetting(flag, name);
		}
	}
}

/**
 * Returns the unknown variables that begin with `RESORT_`, each with the nearest known one. They are reported and not
 * refused, because other programs may use such names.
 */
export function unknownVariables(environment: Environment): string[] {
	const known = [
		URL_VARIABLE,
		KEYS_VARIABLE,
		...Object.keys(settings).flatMap(variablesOf),
	];
	return Object.keys(environment)
		.filter((name) => name.startsWith("RESORT_") && !known.includes(name))
		.toSorted()
		.map((name) => withNearest(name, known, name.slice(0, MAX_SHOWN)));
}

function variablesOf(name: string): string[] {
	return [variableOf(name), `${variableOf(name)}_FILE`];
}

/** An empty variable counts as not set. */
function inEnvironment(
	name: SettingName,
	environment: Environment,
): Given | null {
	const [own = "", ofFile = ""] = variablesOf(name);
	const path = environment[ofFile];
	if (path && environment[own]) {
		throw new StartError(
			`${own} and ${ofFile} do not go together: give one of them`,
			2,
		);
	}
	const setting: Setting<unknown> = settings[name];
	for (const from of [own, ...(setting.variables ?? [])]) {
		const text = environment[from];
		if (text) return give(name, from, text);
	}
	return path ? inValueFile(ofFile, path) : null;
}

/** Reads a file that contains only one value: containers and services pass secrets in this way. */
function inValueFile(variable: string, path: string): Given {
	const named = `${variable} ${JSON.stringify(path)}`;
	const text = readText(path, named).replace(/\r?\n$/, "");
	if (text !== "") {
		// The content is not shown: it may be the wrong file, with a secret in it.
		const shown = ` ${JSON.stringify(path)} (what the file holds)`;
		return { from: variable, text, shown };
	}
	throw new StartError(`${named}: must be a file that is not empty`, 2);
}

function inConfigFile(
	name: SettingName,
	path: string,
	values: ReadonlyMap<string, unknown>,
): Given | null {
	const value = values.get(name);
	if (value === undefined) return null;
	const setting: Setting<unknown> = settings[name];
	const from = `${path}: ${name}`;
	const text = textOf(value);
	const shown = showValue(setting, value, text);
	// For example a number where a switch is expected.
	const isOfType =
		typeof value === "string" ||
		typeof value === typeof setting.read(text ?? "");
	if (text === undefined || !isOfType) {
		throw refusal(setting, { from, shown }, text);
	}
	return { from, text, shown };
}

function give(name: SettingName, from: string, text: string): Given {
	return { from, text, shown: showValue(settings[name], text, text) };
}

/** Returns a value as errors show it: nothing of a secret, and no user name and password of a URL. */
function showValue(
	{ secret, show, value: placeholder }: Setting<unknown>,
	value: unknown,
	text: string | undefined,
): string {
	if (secret || text === undefined) return "";
	if (typeof value === "number") return ` ${value}`;
	if (show) return ` ${JSON.stringify(show(text))}`;
	const json = JSON.stringify(value);
	return ` ${placeholder === "URL" ? json.replace(CREDENTIALS, "$1(hidden)@") : json}`;
}
