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
	{ presets = {}, open = [], choice }: Tool,
	addressed: Operation,
	args: Arguments,
): Meant {
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
	const params = paramsOf(addressed).map((name) => [
		name,
		wordOf(given[name])?.trim() ?? "",
	]);
	const fields = {
		...addressed.body?.properties,
		...addressed.alternative?.body.properties,
	};
	const body = Object.entries(given).filter(([name]) =>
		Object.hasOwn(fields, name),
	);
	const missing = params.find(([, value]) => value === "")?.[0];
	const chosen = choice && wordOf(given[choice.name]);
	const isChosen =
		choice === undefined ||
		chosen === undefined ||
		choice.values.includes(chosen);
	return {
		operation,
		params: Object.fromEntries(params),
		query,
		body:
			missing !== undefined
				? broken(missing, "is required")
				: isChosen
					? Object.fromEntries(body)
					: broken(choice.name, `must be one of: ${choice.values.join(", ")}`),
	};
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
