import type { Meant } from "../http/use.ts";
import { ResortError } from "../lib/resort-error.ts";
import { ignoredFields } from "../resort/bounds.ts";
import type { Operation } from "../resort/operation.ts";
import { API_KEY, fieldsOf, paramsOf } from "./schemas.ts";
import type { Arguments, Tool } from "./tools.ts";

/** The operations that a call means, in their order. */
export function pickOperations(
	{ pick }: Tool,
	operations: readonly Operation[],
	args: Arguments,
): readonly Operation[] {
	if (pick === undefined) return operations;
	const picked = operations[pick((name) => wordOf(args[name])?.trim() ?? "")];
	return picked === undefined ? [] : [picked];
}

/** Sorts the arguments of a tool into what its operation takes. */
export function meaningOf(
	tool: Tool,
	addressed: Operation,
	args: Arguments,
): Meant {
	const { presets = {}, open = [] } = tool;
	const given = Object.fromEntries(
		Object.entries(args).filter(
			([name, value]) =>
				!(name in presets && !open.includes(name)) && value !== undefined,
		),
	);
	const query: Record<string, string> = {};
	for (const name of Object.keys(addressed.query?.properties ?? {})) {
		const value = wordOf(given[name]) ?? presets[name];
		if (value !== undefined) query[name] = value;
	}
	const { own } = addressed;
	const operation = own?.when(query) ? own.operation : addressed;
	const params: Record<string, string> = {};
	for (const name of paramsOf(addressed)) {
		params[name] = wordOf(given[name])?.trim() ?? "";
	}
	const fields = {
		...addressed.body?.properties,
		...addressed.alternative?.body.properties,
	};
	const body = Object.entries(given).filter(([name]) =>
		Object.hasOwn(fields, name),
	);
	return {
		operation,
		params,
		query,
		body: faultOf(tool, params, given) ?? Object.fromEntries(body),
	};
}

/** What is wrong with arguments that no operation judges; null when nothing is. */
function faultOf(
	{ choice }: Tool,
	params: Readonly<Record<string, string>>,
	given: Arguments,
): ResortError | null {
	const missing = Object.keys(params).find((name) => params[name] === "");
	if (missing !== undefined) return broken(missing, "is required");
	if (choice === undefined) return null;
	const { name, values } = choice;
	const chosen = wordOf(given[name]);
	if (chosen === undefined || values.includes(chosen)) return null;
	return broken(name, `must be one of: ${values.join(", ")}`);
}

/** The names of the arguments that nobody reads, as `ignored` tells those of a body. */
export function ignoredOf(
	{ choice, presets = {}, open = [] }: Tool,
	operations: readonly Operation[],
	args: Arguments,
): string[] {
	const known = new Set([API_KEY, ...(choice ? [choice.name] : [])]);
	for (const operation of operations) {
		for (const name of Object.keys(fieldsOf(operation).properties)) {
			if (!(name in presets) || open.includes(name)) known.add(name);
		}
	}
	const unknown = Object.entries(args).filter(([name]) => !known.has(name));
	return ignoredFields([], Object.fromEntries(unknown));
}

/** A value as a path or a query holds it; a list is joined by commas. */
function wordOf(value: unknown): string | undefined {
	if (value === null || value === undefined) return undefined;
	return Array.isArray(value)
		? value.map(plainWord).join(",")
		: plainWord(value);
}

/** A plain value, well-formed as that of a URL; what is none is nothing that any operation takes. */
function plainWord(value: unknown): string {
	return typeof value === "object" ? "" : String(value).toWellFormed();
}

function broken(field: string, requirement: string): ResortError {
	return new ResortError("invalid", `${field} ${requirement}`, { field });
}
