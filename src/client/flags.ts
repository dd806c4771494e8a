import { withNearest } from "../lib/edit-distance.ts";
import { tokensOf } from "../lib/flag-tokens.ts";
import type { ClientField } from "./catalogue.ts";
import { entriesOf, enumerate, requireChoice } from "./choices.ts";
import { usage } from "./failure.ts";

/** A flag of a command. */
export interface Flag {
	/** What stands for its value in the help; a switch when left out. */
	readonly value?: string;
	readonly help: string;
	/** The words that it takes; any text when there are none. */
	readonly choices?: readonly string[];
	/** The field that it fills. */
	readonly field?: ClientField;
}

/** Flags by their names. */
export type Flags = Readonly<Record<string, Flag>>;

/** A command line that was read. */
export interface Line {
	/** The words that are no flags. */
	readonly words: readonly string[];
	/** All values of each flag that was given; none of a switch. */
	readonly given: ReadonlyMap<string, readonly string[]>;
}

/** What every command takes. */
export const commonFlags: Flags = {
	json: { help: "JSON, also on a terminal" },
	config: {
		value: "FILE",
		help: "the configuration, instead of ~/.agent-resort.json",
	},
	insecure: { help: "take http: for every host, not for loopback alone" },
	help: { help: "this text" },
};

/** The flag of a field: `roomPreference` is `--room-preference`. */
export function flagsOf(fields: readonly ClientField[]): Flags {
	return Object.fromEntries(
		fields
			.filter(({ place, kind }) => place !== "path" && kind !== "object")
			.map((field) => [kebab(field.name), flagOf(field)]),
	);
}

function flagOf(field: ClientField): Flag {
	const { kind, choices, allowed, isRequired } = field;
	const isList = kind === "list";
	const taken =
		isList && choices.length > 0 ? `any of ${choices.join(", ")}` : allowed;
	const repeated = isList ? "; repeated for more" : "";
	return {
		value: kind === "number" ? "NUMBER" : "TEXT",
		help: taken + repeated + (isRequired ? " (required)" : ""),
		choices,
		field,
	};
}

/** `roomPreference` as `room-preference`. */
export function kebab(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Reads words and flags, `--name value` or `--name=value`.
 * @param args the command line without the command
 * @throws Failure with exit code 2 for an unknown flag and a missing value
 */
export function readLine(args: readonly string[], known: Flags): Line {
	const words: string[] = [];
	const given = new Map<string, string[]>();
	for (const token of tokensOf(args, known)) {
		if (token.kind === "positional") words.push(token.value);
		if (token.kind !== "option") continue;
		const name = token.rawName === "-h" ? "help" : token.name;
		const flag = Object.hasOwn(known, name) ? known[name] : undefined;
		if (
			flag === undefined ||
			(token.rawName !== "-h" && !token.rawName.startsWith("--"))
		) {
			const names = Object.keys(known).map((one) => `--${one}`);
			throw usage(`unknown flag ${withNearest(token.rawName, names)}`);
		}
		const { value } = token;
		const isFlag = !token.inlineValue && value?.startsWith("--");
		if (flag.value !== undefined && (value === undefined || isFlag)) {
			throw usage(`--${name} needs a value: --${name}=${flag.value}`);
		}
		if (flag.value === undefined && value !== undefined) {
			throw usage(`--${name} takes no value`);
		}
		const values = given.get(name) ?? [];
		given.set(name, value === undefined ? values : [...values, value]);
	}
	return { words, given };
}

/** The last value of a flag; undefined when it was not given. */
export function lastOf({ given }: Line, name: string): string | undefined {
	return given.get(name)?.at(-1);
}

/**
 * The values of an operation's fields, as it takes them. Bounds are judged by the service.
 * @throws Failure with exit code 2 for a number that is none, and for a word that is not among the choices
 */
export function valuesOf(
	{ given }: Line,
	flags: Flags,
): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const [flag, { field }] of Object.entries(flags)) {
		const all = given.get(flag);
		const last = all?.at(-1);
		if (field === undefined || all === undefined || last === undefined) {
			continue;
		}
		values[field.name] = valueFor(field, flag, all, last);
	}
	return values;
}

/**
 * Makes sure that no flag is missing.
 * @throws Failure with exit code 2 that names them all
 */
export function requireFlags(
	values: Readonly<Record<string, unknown>>,
	fields: readonly ClientField[],
): void {
	const required = flagsOf(fields.filter(({ isRequired }) => isRequired));
	const missing = Object.entries(required)
		.filter(([, { field }]) => values[field?.name ?? ""] === undefined)
		.map(([flag]) => `--${flag}`);
	if (missing.length === 0) return;
	const isOne = missing.length === 1;
	throw usage(`${enumerate(missing, "and")} ${isOne ? "is" : "are"} required`);
}

function valueFor(
	{ kind, place, choices }: ClientField,
	flag: string,
	all: readonly string[],
	last: string,
): unknown {
	if (kind === "list") {
		// One that is empty stands for the empty list.
		const list = all.length === 1 && last === "" ? [] : all;
		if (place !== "query") {
			requireChoice(flag, list, choices);
			return list;
		}
		const joined = list.join(",");
		requireChoice(flag, entriesOf(joined), choices);
		return joined;
	}
	requireChoice(flag, [last], choices);
	if (kind !== "number") return last;
	if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(last)) {
		throw usage(`--${flag}: must be a number`);
	}
	return Number(last);
}
