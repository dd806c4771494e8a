import { parseArgs } from "node:util";

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
		options: Object.fromEntries(
			Object.entries(known).map(([name, { value }]) => [
				name,
				{ type: value === undefined ? "boolean" : "string" } as const,
			]),
		),
		strict: false,
		allowPositionals: true,
		tokens: true,
	}).tokens;
}
