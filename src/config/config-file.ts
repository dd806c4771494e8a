import { parse, TomlError } from "smol-toml";
import { withNearest } from "../lib/nearest-name.ts";
import { readText } from "../lib/read-text.ts";
import { StartError } from "../lib/start-error.ts";
import { removedSettings, settings } from "./settings.ts";

/**
 * Reads a file of settings in TOML. The source names it in errors.
 * @throws StartError with exit code 2 if the file cannot be read, is not TOML or has an unknown key
 */
export function readConfigFile(
	path: string,
	source: string,
): ReadonlyMap<string, unknown> {
	const values = Object.entries(parseToml(readText(path, source), source));
	const known = Object.keys(settings).filter((name) => name !== "config");
	for (const [key] of values) {
		if (Object.hasOwn(removedSettings, key)) {
			throw removedSetting(`${path}: ${key}`, key);
		}
		if (known.includes(key)) continue;
		const shown = withNearest(key, known, JSON.stringify(key));
		throw new StartError(
			`${path}: unknown key ${shown}; see resort serve --help`,
			2,
		);
	}
	return new Map(values);
}

function parseToml(text: string, source: string): object {
	try {
		return parse(text);
	} catch (error) {
		// The message of the parser may quote a part of a secret.
		const line = error instanceof TomlError ? `line ${error.line} ` : "";
		throw new StartError(
			`${source}: ${line}is not valid TOML: must be KEY = VALUE, each key once, a text in quotes`,
			2,
		);
	}
}

/** Returns a value as text, as for a flag; undefined for tables, dates, and lists except those of texts without commas. */
export function textOf(value: unknown): string | undefined {
	if (typeof value === "boolean") return value ? "on" : "off";
	if (typeof value === "string" || typeof value === "number") {
		return String(value);
	}
	const isList =
		Array.isArray(value) &&
		value.every((one) => typeof one === "string" && /^[^,]+$/.test(one));
	return isList ? value.join(",") : undefined;
}

/** Returns the error for a setting of an earlier version. */
export function removedSetting(source: string, name: string): StartError {
	return new StartError(`${source}: ${removedSettings[name]}`, 2);
}
