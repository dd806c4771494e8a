import { parseArgs } from "node:util";
import type { Flags } from "../config.ts";
import { StartError } from "../errors.ts";

/** A flag of a command; one without a value is a switch. */
export interface FlagHelp {
	readonly value?: string;
	readonly help: string;
	readonly preset?: string;
}

/**
 * Reads a command's flags, `--name value` or `--name=value`; the last of repeated ones counts.
 * @param known the command's flags by name
 * @throws StartError with exit code 2 for an unknown flag, a missing value or a stray word
 */
export function parseFlags(
	args: readonly string[],
	known: Readonly<Record<string, FlagHelp>>,
): Flags {
	const { tokens } = parseArgs({
		args: [...args],
		options: Object.fromEntries(
			Object.entries(known).map(([name, { value }]) => [
				name,
				{ type: value === undefined ? "boolean" : "string" } as const,
			]),
		),
		strict: false,
		allowPositionals: true,
		tokens: true,
	});
	const flags: Record<string, string> = {};
	for (const token of tokens) {
		if (token.kind === "positional") {
			// The word is not shown: it may be a part of a secret with a space in it.
			throw new StartError("unexpected word; see resort --help", 2);
		}
		if (token.kind !== "option") continue;
		const flag = Object.hasOwn(known, token.name)
			? known[token.name]
			: undefined;
		if (flag === undefined || !token.rawName.startsWith("--")) {
			throw new StartError(
				`unknown flag ${token.rawName}; see resort --help`,
				2,
			);
		}
		if (flag.value !== undefined && token.value === undefined) {
			throw new StartError(`--${token.name} needs a value: ${flag.value}`, 2);
		}
		flags[token.name] = token.value ?? "on";
	}
	return flags;
}

/** The help text of flags: a line each. */
export function describeFlags(
	known: Readonly<Record<string, FlagHelp>>,
): string {
	return Object.entries(known)
		.map(([name, { value, help, preset }]) => {
			const flag = value === undefined ? `--${name}` : `--${name} ${value}`;
			const usual = value && preset ? ` [${preset}]` : "";
			return `  ${flag.padEnd(26)} ${help}${usual}`;
		})
		.join("\n");
}
