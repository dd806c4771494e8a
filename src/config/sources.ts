import type { Environment } from "../lib/environment.ts";
import { withNearest } from "../lib/nearest-name.ts";
import { readText } from "../lib/read-text.ts";
import { StartError } from "../lib/start-error.ts";
import {
	removedSettings,
	type Setting,
	type SettingName,
	settings,
	variableOf,
} from "./settings.ts";
import { readToml } from "./toml.ts";
import { isOfKind, textOf } from "./toml-values.ts";

/** What was given on the command line, by name without its dashes. */
export type Flags = Readonly<Record<string, string>>;

/** In a quoted URL: its scheme, and everything that may be a user name and a password. */
const CREDENTIALS = /^("(?:[a-z]+:\/\/)?).*@/i;

/** A setting that was given. */
export interface Given {
	/** The flag, the variable, or the file and its key. */
	readonly from: string;
	/** Written as for the flag. */
	readonly text: string;
	/** What an error shows after {@link from}; never a secret. */
	readonly shown: string;
}

/**
 * Finds what was given for a setting; null when nothing was.
 * @throws StartError with exit code 2 when the file of its value cannot be read or is empty, a variable and such a
 * file are both given, or the configuration file holds a value of the wrong kind
 */
export type Sources = (name: SettingName) => Given | null;

/** The configuration file. */
interface ConfigFile {
	readonly path: string;
	readonly values: ReadonlyMap<string, unknown>;
}

/**
 * Opens all places where settings are given. The configuration file is read at once, the file of a single
 * setting when it is asked for, each only once.
 * @throws StartError with exit code 2 when the configuration file cannot be read or has an unknown key
 */
export function openSources(flags: Flags, environment: Environment): Sources {
	for (const name of Object.keys(removedSettings)) {
		const variable = variableOf(name);
		for (const one of [variable, `${variable}_FILE`]) {
			if (environment[one]) throw removal(one, name);
		}
	}
	const found = new Map<SettingName, Given | null>();
	const outside = (name: SettingName): Given | null => {
		const known = found.get(name);
		if (known !== undefined) return known;
		const given = inFlags(name, flags) ?? inEnvironment(name, environment);
		found.set(name, given);
		return given;
	};
	const file = openConfigFile(outside("config"));
	return (name) =>
		outside(name) ?? (file === null ? null : inConfigFile(name, file));
}

/**
 * The error that refuses a value.
 * @param text of the value; undefined when no flag can have it
 */
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

/**
 * Refuses the flags of settings that were removed.
 * @param args the command line, of which what follows `--` is for another program
 * @throws StartError with exit code 2
 */
export function refuseRemovedFlags(args: readonly string[]): void {
	const end = args.indexOf("--");
	for (const arg of end === -1 ? args : args.slice(0, end)) {
		const [flag = ""] = arg.split("=");
		const name = flag.slice(2);
		if (flag.startsWith("--") && Object.hasOwn(removedSettings, name)) {
			throw removal(flag, name);
		}
	}
}

/** The error for a setting that was removed. */
function removal(from: string, name: string): StartError {
	return new StartError(`${from}: ${removedSettings[name]}`, 2);
}

function inFlags(name: SettingName, flags: Flags): Given | null {
	const text = flags[name];
	return text === undefined ? null : give(name, `--${name}`, text);
}

/** A variable that is empty counts as not set. */
function inEnvironment(
	name: SettingName,
	environment: Environment,
): Given | null {
	const own = variableOf(name);
	const ofFile = `${own}_FILE`;
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

/** Reads a file that holds one value and nothing else: containers and services are given secrets in this way. */
function inValueFile(variable: string, path: string): Given {
	const named = `${variable} ${JSON.stringify(path)}`;
	const text = readText(path, named).replace(/\r?\n$/, "");
	if (text !== "") {
		// Not the content: it may be the wrong file, with a secret in it.
		const shown = ` ${JSON.stringify(path)} (what the file holds)`;
		return { from: variable, text, shown };
	}
	throw new StartError(`${named}: must be a file that is not empty`, 2);
}

function openConfigFile(given: Given | null): ConfigFile | null {
	if (given === null) return null;
	const path = settings.config.read(given.text);
	if (path === undefined) throw refusal(settings.config, given, given.text);
	const values = readToml(path, given.from + given.shown);
	for (const key of values.keys()) {
		if (Object.hasOwn(removedSettings, key)) {
			throw removal(`${path}: ${key}`, key);
		}
		if (Object.hasOwn(settings, key) && key !== "config") continue;
		const known = Object.keys(settings).filter((name) => name !== "config");
		const told = withNearest(key, known, JSON.stringify(key));
		throw new StartError(
			`${path}: unknown key ${told}; see resort serve --help`,
			2,
		);
	}
	return { path, values };
}

function inConfigFile(name: SettingName, file: ConfigFile): Given | null {
	const value = file.values.get(name);
	if (value === undefined) return null;
	const setting: Setting<unknown> = settings[name];
	const from = `${file.path}: ${name}`;
	const text = textOf(value);
	const shown = showOf(setting, value);
	if (text === undefined || !isOfKind(value, setting.read(text))) {
		throw refusal(setting, { from, shown }, text);
	}
	return { from, text, shown };
}

function give(name: SettingName, from: string, text: string): Given {
	return { from, text, shown: showOf(settings[name], text) };
}

/**
 * What an error shows of a value, with a space before it. It is empty for a secret and for a value that no flag can
 * have; a URL is shown without user name and password.
 */
function showOf(setting: Setting<unknown>, value: unknown): string {
	const text = textOf(value);
	if (setting.secret || text === undefined) return "";
	if (setting.show && typeof value !== "number") {
		return ` ${JSON.stringify(setting.show(text))}`;
	}
	const shown = typeof value === "number" ? `${value}` : JSON.stringify(value);
	return ` ${setting.value === "URL" ? shown.replace(CREDENTIALS, "$1(hidden)@") : shown}`;
}
