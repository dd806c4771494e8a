import { Type } from "@sinclair/typebox";
import type { CallTarget } from "../../core/calls/call.ts";
import { operationFor } from "../../core/calls/handle.ts";
import { pick } from "../../core/lib/record.ts";
import { invalid } from "../../core/lib/resort-error.ts";
import type { Operation } from "../../core/resort/operation.ts";
import { checkNames, trimStrings, validateBody, withoutOmitted } from "../../core/resort/validation.ts";
import { fieldsOf } from "../documents/operation-schema.ts";
import type { Arguments, Tool } from "./tool.ts";
import { API_KEY } from "./tool-schemas.ts";

/**
 * Checks the names of all arguments, the maximums in the tool's `schemas`, and the values of the tool's
 * `extra` arguments. The operations validate all other values.
 * @returns the arguments without omitted ones, and with trimmed `extra` arguments
 * @throws ResortError `invalid` with the first invalid argument
 */
export function checkArguments(tool: Tool, sent: Arguments): Arguments {
	const { extra, schemas = {}, routes, fields } = tool;
	const known = fields.map(({ name, schema }) => [name, schema]);
	const all = Type.Object(Object.fromEntries([[API_KEY, {}], ...known]));
	checkNames("argument", [all], sent, { isStrict: true });
	const isChange = routes.some((route) => route.startsWith("PATCH "));
	// In a change, null and "" clear the fields that may be null.
	const clearing = fields
		.filter(({ schema }) => isChange && schema.type?.includes("null"))
		.map(({ name }) => name)
		.filter((name) => Object.hasOwn(sent, name));
	const args = { ...withoutOmitted(all, sent), ...pick(sent, clearing) };
	for (const [name, { maximum = Number.POSITIVE_INFINITY }] of Object.entries(schemas)) {
		if (Number(args[name]) > maximum) {
			throw invalid(`${name} must be at most ${maximum}`, { field: name });
		}
	}
	return extra === undefined ? args : { ...args, ...validateBody(extra, trimStrings(args) as object) };
}

/** Returns the operations that a call of a tool runs, in order. */
export function pickOperations({ pick, routes, operations }: Tool, args: Arguments): readonly Operation[] {
	const picked = pick?.(args);
	return picked === undefined ? operations : operations.filter((_, at) => picked.includes(routes[at] ?? ""));
}

/**
 * Maps the arguments of a tool to the parameters and the body of an operation.
 * @throws ResortError `invalid` if an id is missing
 */
export function toOperationCall(
	{ defaults = {}, hidden = [] }: Tool,
	operation: Operation,
	args: Arguments,
): CallTarget {
	const params: Record<string, string> = {};
	const query: Record<string, string> = {};
	const body: Record<string, unknown> = {};
	for (const { name, in: place } of fieldsOf(operation)) {
		const value = hidden.includes(name) ? undefined : args[name];
		const text = textOf(value) ?? defaults[name];
		if (place === "path") {
			params[name] = text?.trim() ?? "";
			if (params[name] === "") {
				throw invalid(`${name} is required`, { field: name });
			}
		} else if (place === "query") {
			if (text !== undefined) query[name] = text;
		} else if (value !== undefined) {
			body[name] = value;
		}
	}
	return {
		operation: operationFor(operation, query),
		params,
		query,
		body,
		...(typeof args.idempotencyKey === "string" && { idempotencyKey: args.idempotencyKey || undefined }),
	};
}

/**
 * Converts a value to a well-formed string, as in URLs. The items of a list are joined with commas. An object
 * becomes the empty string, which no operation accepts.
 */
function textOf(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const items = Array.isArray(value) ? value : [value];
	return items.map((item) => (typeof item === "object" ? "" : String(item).toWellFormed())).join(",");
}
