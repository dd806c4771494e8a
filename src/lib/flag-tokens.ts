import { parseArgs } from "node:util";
import { mapValues } from "./record.ts";

/**
 * Takes a command line apart: `--name value` or `--name=value` for flags with a value, `--name` for the others.
 * Unknown flags and missing values are left to the caller.
 * @param known the flags; those without a `value` are switches
 */
export function tokensOf(
	args: readonly string[],
	known: Readonly<Record<string, { readonly value?: string | undefined }>>,
) {
	return parseArgs({
		args: [...args],
		options: mapValues(known, ({ value }) => ({
			type: value === undefined ? ("boolean" as const) : ("string" as const),
		})),
		strict: false,
		allowPositionals: true,
		tokens: true,
	}).tokens;
}

/**
 * Where the command stands in a command line. Only flags that every command takes may stand before it, because which
 * others take a value is known from the command.
 * @param common those flags
 * @returns -1 when none is named
 */
export function commandAt(
	args: readonly string[],
	common: Parameters<typeof tokensOf>[1],
): number {
	for (const token of tokensOf(args, common)) {
		if (token.kind === "positional") return token.value ? token.index : -1;
		if (token.kind !== "option") return -1;
		const isCommon = Object.hasOwn(common, token.name);
		if (!isCommon && token.rawName !== "-h") return -1;
	}
	return -1;
}
