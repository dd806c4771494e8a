import type { Flags } from "../config/sources.ts";
import { withNearest } from "../lib/edit-distance.ts";
import { tokensOf } from "../lib/flag-tokens.ts";
import { StartError } from "../lib/start-error.ts";

/** A flag of a command; one without a value is a switch. */
export interface FlagHelp {
	readonly value?: string;
	readonly help: string;
	readonly preset?: string;
}

/** The command line of a command that works on a file. */
export interface FileCommand {
	readonly file: string;
	readonly flags: Flags;
}

/** A word that is no flag and no flag's value. */
interface Word {
	readonly word: string;
	/** The flag before it; null when there is none. */
	readonly after: string | null;
}

/**
 * Reads a command's flags, `--name value` or `--name=value`; the last of repeated ones counts.
 * @param command its name
 * @param known the command's flags by name
 * @throws StartError with exit code 2 for an unknown flag, a missing value or a stray word
 */
export function parseFlags(
	command: string,
	args: readonly string[],
	known: Readonly<Record<string, FlagHelp>>,
): Flags {
	const { words, flags } = parse(command, args, known);
	const [stray] = words;
	// The word is not shown: it may be a part of a secret with a space in it.
	if (stray !== undefined) {
		const { after } = stray;
		const isSwitch = known[after?.slice(2) ?? ""]?.value === undefined;
		const place =
			after === null
				? ""
				: ` behind ${after}${isSwitch ? ", which takes no value" : ""}`;
		throw new StartError(
			`unexpected word${place}; see resort ${command} --help`,
			2,
		);
	}
	return flags;
}

/**
 * Reads the flags of a command and the one file that it works on.
 * @param command its name
 * @param known the command's flags by name
 * @throws StartError with exit code 2, as {@link parseFlags}, and when there is not exactly one file
 */
export function parseFileCommand(
	command: string,
	args: readonly string[],
	known: Readonly<Record<string, FlagHelp>>,
): FileCommand {
	const { words, flags } = parse(command, args, known);
	const [file = "", ...more] = words.map(({ word }) => word);
	if (file === "" || more.length > 0) {
		throw new StartError(
			`${command} takes one FILE; see resort ${command} --help`,
			2,
		);
	}
	return { file, flags };
}

/**
 * Reads the flags of a command and the file that it works on, if one is named.
 * @returns null for the file when there is none; as {@link parseFileCommand} otherwise
 */
export function parseOptionalFile(
	command: string,
	args: readonly string[],
	known: Readonly<Record<string, FlagHelp>>,
): { readonly file: string | null; readonly flags: Flags } {
	const { words, flags } = parse(command, args, known);
	return words.length === 0
		? { file: null, flags }
		: parseFileCommand(command, args, known);
}

/**
 * Reads the flags of a command and its words.
 * @param command its name, with a help text by the first word
 * @param known the command's flags by name
 * @param names what stands for each word in its help text
 * @throws StartError with exit code 2, as {@link parseFlags}, and when there are not exactly so many words
 */
export function parseCommand(
	command: string,
	args: readonly string[],
	known: Readonly<Record<string, FlagHelp>>,
	names: readonly string[],
): { readonly words: readonly string[]; readonly flags: Flags } {
	const { words, flags } = parse(command, args, known);
	if (words.length !== names.length || !words.every(({ word }) => word)) {
		const wanted = names.length === 0 ? "no words" : names.join(" and ");
		const [page] = command.split(" ");
		throw new StartError(
			`${command} takes ${wanted}; see resort ${page} --help`,
			2,
		);
	}
	return { words: words.map(({ word }) => word), flags };
}

function parse(
	command: string,
	args: readonly string[],
	known: Readonly<Record<string, FlagHelp>>,
): { words: readonly Word[]; flags: Flags } {
	const words: Word[] = [];
	let after: string | null = null;
	const flags: Record<string, string> = {};
	for (const token of tokensOf(args, known)) {
		if (token.kind === "positional") words.push({ word: token.value, after });
		if (token.kind !== "option") continue;
		const flag = Object.hasOwn(known, token.name)
			? known[token.name]
			: undefined;
		if (flag === undefined || !token.rawName.startsWith("--")) {
			const names = Object.keys(known).map((name) => `--${name}`);
			const told = withNearest(token.rawName, names);
			throw new StartError(
				`unknown flag ${told}; see resort ${command} --help`,
				2,
			);
		}
		if (flag.value !== undefined && token.value === undefined) {
			throw new StartError(`--${token.name} needs a value: ${flag.value}`, 2);
		}
		after = `--${token.name}`;
		flags[token.name] = token.value ?? "on";
	}
	return { words, flags };
}

/** How wide a flag and its value may be beside their help, in characters. */
const COLUMN = 26;

/** The help text of flags: a line each, two where the flag is long. */
export function describeFlags(
	known: Readonly<Record<string, FlagHelp>>,
): string {
	return Object.entries(known)
		.map(([name, { value, help, preset }]) => {
			const flag = value === undefined ? `--${name}` : `--${name} ${value}`;
			const usual = value && preset ? ` [${preset}]` : "";
			const gap = flag.length > COLUMN ? `\n${" ".repeat(COLUMN + 2)}` : "";
			return `  ${flag.padEnd(COLUMN)}${gap} ${help}${usual}`;
		})
		.join("\n");
}
