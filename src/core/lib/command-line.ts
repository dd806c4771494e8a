import { parseArgs } from "node:util";
import { withNearest } from "./nearest-name.ts";
import { UsageError } from "./start-error.ts";

/** A flag of a command. A flag without `value` is a switch. */
export interface Flag {
	/** The placeholder for the value in help texts. */
	readonly value?: string;
	readonly help: string;
	readonly preset?: string;
	readonly choices?: readonly string[];
	/** Parses the value. A switch with this function also accepts `--name=value`. */
	readonly read?: (text: string) => unknown;
}

/** A flag whose value is not text. */
export interface TypedFlag<T> extends Flag {
	/** The allowed values, as the end of the sentence "must be …". */
	readonly allowed: string;
	/** @returns undefined if the text is not allowed */
	readonly read: (text: string) => T | undefined;
	/**
	 * Returns a text, which may be invalid, without its secrets, such as the password in a URL. By default, the
	 * whole text is shown.
	 */
	readonly show?: (text: string) => string;
}

/** Flags by name, without dashes. */
export type KnownFlags = Readonly<Record<string, Flag>>;

/** The description of a command for the parser, the help text and the completion. */
export interface CommandShape {
	readonly summary: string;
	/**
	 * The arguments other than flags, separated by spaces: placeholders (`FILE`) or choices of literals
	 * (`bash|zsh`). Optional arguments come last (`[ID...]`).
	 */
	readonly words: string;
	readonly flags: KnownFlags;
	/** Additional paragraphs of the help text. */
	readonly about?: string;
	/** The text after the command's name in each usage line; by default one line with `words` and `[FLAGS]`. */
	readonly usage?: readonly string[];
	/** Whether the command accepts the command line of another program after `--`. */
	readonly startsProgram?: true;
}

/** A parsed command line. */
export interface CommandLine {
	/** The arguments that are not flags. */
	readonly words: readonly string[];
	/** The last value of each flag in the command line; `on` for a switch without a value. */
	readonly flags: Readonly<Record<string, string>>;
	/** All values of each flag in the command line. */
	readonly values: ReadonlyMap<string, readonly string[]>;
	/** The arguments after `--`, if they are for another program; null without `--`. */
	readonly program: readonly string[] | null;
}

/** The flag that every command accepts. */
const helpFlag: KnownFlags = { help: { help: "show this help" } };

/**
 * Parses `--name value`, `--name=value`, `--switch` and words, that is, arguments that are not flags. With
 * `--help` or `-h`, the words are not validated.
 * @throws UsageError. Its message omits unexpected words, because they may be part of a secret. Exception: a
 * word that is probably the name of a program that belongs after `--`
 */
export function parseCommandLine(args: readonly string[], name: string, shape: CommandShape): CommandLine {
	const known = { ...shape.flags, ...helpFlag };
	const words: string[] = [];
	const values = new Map<string, string[]>();
	let program: readonly string[] | null = null;
	let flagBeforeWord: string | null = null;
	for (const token of tokenize(args, known)) {
		if (token.kind === "positional") words.push(token.value);
		else if (token.kind === "option") {
			const flag = flagOf(token.rawName, token.name, known);
			const value = flagValue(flag, token, known[flag]);
			values.set(flag, [...(values.get(flag) ?? []), value]);
			if (words.length === 0) flagBeforeWord = flag;
		} else if (shape.startsProgram) {
			program = args.slice(token.index + 1);
			break;
		}
	}
	const last = [...values].map(([flag, all]) => [flag, all.at(-1) ?? ""]);
	const flags: CommandLine["flags"] = Object.fromEntries(last);
	if (flags.help === undefined) {
		if (shape.words === "" && words.length > 0) {
			if (shape.startsProgram) {
				throw new UsageError(`${JSON.stringify(words[0])} must be after --, where the command begins`);
			}
			const place = flagBeforeWord === null ? "" : ` after --${flagBeforeWord}`;
			throw new UsageError(`unexpected argument${place}: only flags are allowed`);
		}
		requireWords(name, shape.words, words);
	}
	return { words, flags, values, program };
}

/**
 * Parses the value of a flag; undefined if it is missing and has no default.
 * @throws UsageError if the value is not allowed
 */
export function readFlag<T>(
	{ flags }: CommandLine,
	name: string,
	{ preset, allowed, read, show = String }: TypedFlag<T>,
): T | undefined {
	const text = flags[name] ?? preset;
	if (text === undefined) return undefined;
	const value = read(text);
	if (value !== undefined) return value;
	throw new UsageError(`--${name} ${JSON.stringify(show(text))}: must be ${allowed}`);
}

/**
 * Returns the index of the command's name; -1 if there is none. Only `shared` flags may precede it, because
 * only the command defines whether another flag takes a value.
 */
export function commandIndex(args: readonly string[], shared: KnownFlags): number {
	for (const token of tokenize(args, { ...shared, ...helpFlag })) {
		if (token.kind === "positional") return token.value ? token.index : -1;
		if (token.kind !== "option") return -1;
		const isShared = Object.hasOwn(shared, token.name);
		if (!isShared && !isHelp(token.rawName)) return -1;
	}
	return -1;
}

/** Returns the command with a name. @throws UsageError that suggests the most similar name */
export function commandNamed<Command>(commands: Readonly<Record<string, Command>>, name: string): Command {
	const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
	if (command !== undefined) return command;
	const shown = withNearest(name, Object.keys(commands), JSON.stringify(name));
	throw new UsageError(`unknown command ${shown}`);
}

/** Whether an argument is a request for the help text. */
export function isHelp(arg: string): boolean {
	return arg === "--help" || arg === "-h";
}

function tokenize(args: readonly string[], known: KnownFlags) {
	const options = Object.entries(known).map(([name, { value }]) => {
		const type = value === undefined ? "boolean" : "string";
		return [name, { type }] as const;
	});
	return parseArgs({
		args: [...args],
		options: Object.fromEntries(options),
		strict: false,
		allowPositionals: true,
		tokens: true,
	}).tokens;
}

function flagOf(written: string, name: string, known: KnownFlags): string {
	if (isHelp(written)) return "help";
	if (Object.hasOwn(known, name) && written.startsWith("--")) return name;
	const names = Object.keys(known).map((one) => `--${one}`);
	const [begun, ...others] = names.filter((one) => one.startsWith(`${written}-`));
	const shown = begun && others.length === 0 ? `${written} (${begun}?)` : withNearest(written, names);
	throw new UsageError(`unknown flag ${shown}`);
}

function flagValue(
	name: string,
	token: { value: string | undefined; inlineValue: boolean | undefined },
	flag: Flag | undefined,
): string {
	const { value, inlineValue } = token;
	if (flag?.value === undefined) {
		if (value === undefined || flag?.read !== undefined) return value ?? "on";
		throw new UsageError(`--${name} takes no value`);
	}
	// If the next word looks like a flag, the user has probably forgotten the value.
	if (value === undefined || (!inlineValue && value.startsWith("--"))) {
		throw new UsageError(`--${name} needs a value: --${name}=${flag.value}`);
	}
	return value;
}

function requireWords(name: string, placeholders: string, words: readonly string[]): void {
	const expected = placeholders.split(" ").filter(Boolean);
	const least = expected.filter((one) => !one.startsWith("[")).length;
	const most = placeholders.endsWith("...]") ? Infinity : expected.length;
	const isAccepted =
		words.length >= least &&
		words.length <= most &&
		words.every((word, at) => {
			const literals = /^[a-z|]+$/.exec(expected[at] ?? "")?.[0].split("|");
			return literals?.includes(word) ?? true;
		});
	if (!isAccepted) {
		throw new UsageError(`${name} takes ${expected.join(" and ")}`);
	}
	// An empty argument is usually a mistake in a script, such as `"$ID"` with an unset variable.
	if (words.includes("")) throw new UsageError(`${name}: an argument is empty`);
}
