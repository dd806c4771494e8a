/** Converts fields of operations to flags, and flags to values. */
import type { CommandLine, Flag, KnownFlags } from "../core/lib/command-line.ts";
import { toJson } from "../core/lib/readable-text.ts";
import { UsageError } from "../core/lib/start-error.ts";
import type { ClientField } from "./catalogue.ts";

/** Whether a field is a positional argument, not a flag: ids in the path, and required ids in the body. */
export function isWord({ name, place, isRequired }: ClientField): boolean {
	return place === "path" || (isRequired && name.endsWith("Id"));
}

/** Returns the flags for fields, by name: the field `roomPreference` becomes `--room-preference`. */
export function flagsOf(fields: readonly ClientField[]): KnownFlags {
	return Object.fromEntries(
		fields
			.filter((field) => !isWord(field) && field.kind !== "object")
			.map((field) => [kebab(field.name), flagOf(field)]),
	);
}

function flagOf({ kind, choices, allowed, isRequired }: ClientField): Flag {
	const isList = kind === "list";
	const accepted = isList && choices.length > 0 ? `any of ${choices.join(", ")}` : allowed;
	const repeated = isList ? "; repeatable" : "";
	return {
		value: kind === "number" ? "NUMBER" : "TEXT",
		help: accepted + repeated + (isRequired ? " (required)" : ""),
		choices,
	};
}

/** Converts `roomPreference` to `room-preference`. */
export function kebab(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Returns the field values of a command line. The resort checks the bounds of the values.
 * @throws UsageError for an invalid number, or a value that is not among the choices
 */
export function valuesOf(line: CommandLine, fields: readonly ClientField[]): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const field of fields) {
		const flag = kebab(field.name);
		const given = line.values.get(flag);
		if (given) values[field.name] = fieldValue(field, flag, given);
	}
	return values;
}

/** @throws UsageError that lists all required flags without a value */
export function requireFields(
	values: Readonly<Record<string, unknown>>,
	fields: readonly ClientField[],
): void {
	const missing = fields
		.filter((field) => field.isRequired && !isWord(field) && values[field.name] === undefined)
		.map(({ name }) => `--${kebab(name)}`);
	if (missing.length === 0) return;
	const verb = missing.length === 1 ? "is" : "are";
	const list = new Intl.ListFormat("en-GB").format(missing);
	throw new UsageError(`${list} ${verb} required`);
}

function fieldValue({ kind, place, choices }: ClientField, flag: string, given: readonly string[]): unknown {
	const last = given.at(-1) ?? "";
	if (kind === "list" && place === "query") {
		const joined = given.join(",");
		const entries = joined.split(",").map((entry) => entry.trim());
		const filled = entries.filter((entry) => entry !== "");
		requireChoice(flag, filled.length === 0 ? [joined] : filled, choices);
		return joined;
	}
	// A single empty value stands for the empty list.
	const list = given.length === 1 && last === "" ? [] : given;
	const isList = kind === "list";
	requireChoice(flag, isList ? list : [last], choices);
	if (isList) return list;
	if (kind !== "number") return last;
	if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(last)) {
		throw new UsageError(`--${flag}: must be a number`);
	}
	return Number(last);
}

/** Refuses values that are not among the choices, if there are choices. @throws UsageError */
function requireChoice(flag: string, words: readonly string[], choices: readonly string[]): void {
	const wrong = words.find((word) => !choices.includes(word));
	if (wrong === undefined || choices.length === 0) return;
	const list = new Intl.ListFormat("en-GB", { type: "disjunction" });
	throw new UsageError(`--${flag}: must be ${list.format(choices)}, not ${toJson(wrong)}`);
}
