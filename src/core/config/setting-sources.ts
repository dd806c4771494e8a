import { parse, TomlError } from "smol-toml";
import { withNearest } from "../lib/nearest-name.ts";
import { readText } from "../lib/read-text.ts";
import { SettingError, type StartError } from "../lib/start-error.ts";
import { type Setting, type Settings, variableOf } from "./setting.ts";

/** The flags of a command line, by their names without dashes. */
export type Flags = Readonly<Record<string, string>>;

/** The value of a setting, and its source. */
export interface Given {
	/** The source: a flag, a variable, or a file and its key. */
	readonly from: string;
	/** The value in the form that a flag on the command line would have. */
	readonly text: string;
	/** The text after {@link from} in error messages: the value or the path of its file, never a secret. */
	readonly shown: string;
}

/** The values of settings, without defaults. */
export type GivenSettings = ReadonlyMap<string, Given>;

/**
 * Finds the values of some settings, in the order of precedence of `createConfiguration`.
 * @param settings all settings; one of them is `config`
 * @throws StartError with exit code 2 if a file cannot be read or is invalid
 */
export function findGiven(
	settings: Settings,
	names: readonly string[],
	flags: Flags,
	environment: NodeJS.ProcessEnv,
): GivenSettings {
	const found = new Map<string, Given>();
	for (const name of new Set(["config", ...names])) {
		const text = flags[name];
		const setting = settingOf(settings, name);
		const given =
			text === undefined ? inEnvironment(setting, name, environment) : givenText(setting, `--${name}`, text);
		if (given !== null) found.set(name, given);
	}
	const config = found.get("config");
	if (config === undefined) return found;
	const path = String(parseGiven(settingOf(settings, "config"), config));
	const values = readConfigFile(settings, path, config.from + config.shown);
	for (const name of names) {
		const value = values[name];
		if (value !== undefined && !found.has(name)) {
			found.set(name, inConfigFile(settingOf(settings, name), `${path}: ${name}`, value));
		}
	}
	return found;
}

/**
 * Returns a value with its source and its form in error messages. All values are trimmed here, because SQLite
 * and the file system treat a space at the end of a name differently.
 */
export function givenText(setting: Setting<unknown>, from: string, text: string, shown?: string): Given {
	const trimmed = text.trim();
	return { from, text: trimmed, shown: shown ?? showValue(setting, trimmed, trimmed) };
}

/** Parses the value of a setting. @throws StartError with exit code 2 if the value is not allowed */
export function parseGiven(setting: Setting<unknown>, given: Given): unknown {
	const value = setting.read(given.text);
	if (value !== undefined) return value;
	throw refusal(setting, given, given.text);
}

/**
 * Creates the error for a value that is not allowed. `text` is undefined for a value that cannot be written
 * as a flag, such as a TOML table.
 */
function refusal(
	setting: Setting<unknown>,
	{ from, shown }: Pick<Given, "from" | "shown">,
	text: string | undefined,
): StartError {
	const fault = text === undefined ? null : setting.fault?.(text);
	const reason = fault || `must be ${setting.allowed}`;
	return new SettingError(`${from}${shown}: ${reason}`);
}

/**
 * Finds a value in the environment: in the setting's own variable, in one of its further variables, or in the
 * file that its `_FILE` variable names. Ignores empty variables.
 * @throws StartError if the own variable and the `_FILE` variable are both set
 */
function inEnvironment(
	setting: Setting<unknown>,
	name: string,
	environment: NodeJS.ProcessEnv,
): Given | null {
	const own = variableOf(name);
	const ofFile = `${own}_FILE`;
	const textIn = (variable: string) => environment[variable]?.trim();
	const path = textIn(ofFile);
	if (path && textIn(own)) {
		throw new SettingError(`${own} and ${ofFile} cannot be combined: set only one of them`);
	}
	for (const from of [own, ...(setting.variables ?? [])]) {
		const text = textIn(from);
		if (text) return givenText(setting, from, text);
	}
	return path ? inValueFile(setting, ofFile, path) : null;
}

/** Reads a file that contains one value, such as a secret in a container. */
function inValueFile(setting: Setting<unknown>, variable: string, path: string): Given {
	const named = `${variable} ${JSON.stringify(path)}`;
	// Error messages do not contain the content of the file, because the file may be the wrong one and contain
	// a secret.
	const shown = ` ${JSON.stringify(path)} (the content of the file)`;
	const given = givenText(setting, variable, readText(path, named), shown);
	if (given.text !== "") return given;
	throw new SettingError(`${named}: must be a non-empty file`);
}

/** Reads a TOML file of settings. `source` names the file in error messages. */
function readConfigFile(settings: Settings, path: string, source: string): Readonly<Record<string, unknown>> {
	const text = readText(path, source);
	let values: Readonly<Record<string, unknown>>;
	try {
		values = parse(text);
	} catch (error) {
		// Shows only the position of the error, because the parser's message may quote a part of a secret.
		const place = error instanceof TomlError ? `line ${error.line}, column ${error.column} ` : "";
		throw new SettingError(
			`${source}: ${place}is not valid TOML: must be KEY = VALUE, each key once, strings in quotes`,
		);
	}
	const known = Object.keys(settings).filter((name) => name !== "config");
	for (const key of Object.keys(values)) {
		if (known.includes(key)) continue;
		const shown = withNearest(key, known, JSON.stringify(key));
		throw new SettingError(`${path}: unknown key ${shown}; see resort serve --help`);
	}
	return values;
}

function inConfigFile(setting: Setting<unknown>, from: string, value: unknown): Given {
	const text = textOf(value);
	const shown = showValue(setting, value, text);
	// Compares the types, because TOML values have types. For example, a number is refused for a switch.
	const isOfType = typeof value === "string" || typeof value === typeof setting.read(text ?? "");
	if (text !== undefined && isOfType) return givenText(setting, from, text, shown);
	throw refusal(setting, { from, shown }, text);
}

/**
 * Converts a TOML value to the text that a flag would have. A list of texts without commas becomes a
 * comma-separated list. Returns undefined for tables, dates and all other lists.
 */
function textOf(value: unknown): string | undefined {
	if (typeof value === "boolean") return value ? "on" : "off";
	if (typeof value === "string" || typeof value === "number") {
		return String(value);
	}
	const isList = Array.isArray(value) && value.every((one) => typeof one === "string" && /^[^,]+$/.test(one));
	return isList ? value.join(",") : undefined;
}

/** Returns a value for error messages, preceded by a space. */
function showValue({ secret, show }: Setting<unknown>, value: unknown, text: string | undefined): string {
	if (secret || text === undefined) return "";
	if (typeof value === "number") return ` ${value}`;
	return ` ${JSON.stringify(show?.(text) ?? value)}`;
}

/** Returns a setting by its name, which must be known. */
export function settingOf(settings: Settings, name: string): Setting<unknown> {
	const setting = settings[name];
	if (setting === undefined) throw new Error(`no setting ${name}`);
	return setting;
}
