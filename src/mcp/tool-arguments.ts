import { fieldsOf } from "../guide/operation-schema.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { CallTarget } from "../pipeline/call.ts";
import type { Operation } from "../resort/operation.ts";
import { ignoredFields } from "../resort/validation.ts";
import { API_KEY } from "./tool-schemas.ts";
import type { Arguments, Tool } from "./tools.ts";

/** Returns the operations that a call of a tool runs, in order. */
export function pickOperations(
	{ pick, operations }: Tool,
	args: Arguments,
): readonly Operation[] {
	if (pick === undefined) return operations;
	const picked = operations[pick((name) => textOf(args[name])?.trim() ?? "")];
	return picked === undefined ? [] : [picked];
}

/** Maps the arguments of a tool to the parameters and the body of an operation. */
export function toOperationCall(
	tool: Tool,
	operation: Operation,
	args: Arguments,
): CallTarget {
	const { presets = {}, defaults = {} } = tool;
	const params: Record<string, string> = {};
	const query: Record<string, string> = {};
	const body: Record<string, unknown> = {};
	for (const { name, in: place } of fieldsOf(operation)) {
		const value = presets[name] ?? args[name];
		const text = textOf(value) ?? defaults[name];
		if (place === "path") {
			params[name] = text?.trim() ?? "";
		} else if (place === "query") {
			if (text !== undefined) query[name] = text;
		} else if (value !== undefined) {
			body[name] = value;
		}
	}
	return {
		operation: operation.own?.when(query) ? operation.own.operation : operation,
		params,
		query,
		body: invalidArgument(tool, params, args) ?? body,
	};
}

/** Returns the error of an argument that the operation itself does not validate; null if there is none. */
function invalidArgument(
	{ choice }: Tool,
	params: Readonly<Record<string, string>>,
	args: Arguments,
): ResortError | null {
	const missing = Object.keys(params).find((name) => params[name] === "");
	if (missing !== undefined) return invalid(missing, "is required");
	if (choice === undefined) return null;
	const { name, values } = choice;
	const value = textOf(args[name]);
	if (value === undefined || values.includes(value)) return null;
	return invalid(name, `must be one of: ${values.join(", ")}`);
}

function invalid(field: string, requirement: string): ResortError {
	return new ResortError("invalid", `${field} ${requirement}`, { field });
}

/** Returns the names of unknown arguments, for the `ignored` field of the response. */
export function ignoredArguments(
	{ presets = {}, choice }: Tool,
	operations: readonly Operation[],
	args: Arguments,
): string[] {
	const names = operations
		.flatMap(fieldsOf)
		.map(({ name }) => name)
		.filter((name) => !(name in presets));
	const known = new Set([API_KEY, choice?.name, ...names]);
	const unknown = Object.entries(args).filter(([name]) => !known.has(name));
	return ignoredFields([], Object.fromEntries(unknown));
}

/** Converts a value to text for a path or a query. The items of a list are joined with commas. */
function textOf(value: unknown): string | undefined {
	if (value === null || value === undefined) return undefined;
	return Array.isArray(value)
		? value.map(plainText).join(",")
		: plainText(value);
}

/**
 * Converts a value to a well-formed string, as in URLs. Objects become the empty string, which no operation accepts.
 */
function plainText(value: unknown): string {
	return typeof value === "object" ? "" : String(value).toWellFormed();
}
