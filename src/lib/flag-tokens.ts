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
