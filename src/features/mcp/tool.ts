import { type TObject, Type } from "@sinclair/typebox";
import {
	fieldsOf,
	type JsonSchema,
	type OperationField,
	toDocumentSchema,
} from "../../core/calls/operation-schema.ts";
import type { Operation, ToolDescription } from "../../core/resort/operation.ts";
import type { Registration } from "../../core/resort/service-context.ts";

/**
 * The name of the argument for the agent's key, for clients that cannot send header fields. In a result, the
 * field with this name contains a new key, and the field `keep` explains how to store it.
 */
export const API_KEY = "apiKey";

/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The JSON of a tool's result. */
export type Result = Readonly<Record<string, unknown>>;

/** Returns the call for another page of a list, with the same arguments except the key and the position. */
export function nextPage(tool: string, { apiKey: _, ...args }: Arguments, position: Arguments) {
	return { tool, arguments: { ...args, ...position }, why: "The next page." };
}

/** The definition of a tool, which serves one goal of an agent and runs the operations for that goal. */
export interface ToolDefinition extends ToolDescription {
	/** The routes of the tool's operations, such as `POST /api/checkin`. */
	readonly routes: readonly string[];
	/** Returns the routes that a call runs. By default, the tool runs all its operations in order. */
	readonly pick?: (args: Arguments) => readonly string[];
	/** Arguments of the tool that none of its operations has. */
	readonly extra?: TObject;
	/** Schemas that replace those of the operations' arguments, for example to lower a maximum. */
	readonly schemas?: Readonly<Record<string, JsonSchema>>;
	/** Routes that the tool does not call. Hints that name one of them show this tool instead. */
	readonly standsFor?: readonly string[];
	/** For each route, the `extra` arguments with which a call of the tool runs this route. */
	readonly argumentsOf?: Readonly<Record<string, Arguments>>;
	/** Converts the merged responses of the operations to a result with other fields. */
	readonly present?: (result: Result, args: Arguments) => Result;
	/** True if a call has either the argument `ids`, which is then not required, or the argument `name`. */
	readonly findsByName?: true;
	/** True if the tool registers an agent. A caller with a valid key must then set `another`. */
	readonly createsAgent?: true;
	/** Undefined for a tool that only reads. */
	readonly write?: { readonly isDestructive?: true; readonly isIdempotent?: true };
}

/** A tool of an instance: its definition, and what is derived from its operations. */
export interface Tool extends ToolDefinition {
	readonly operations: readonly ToolOperation[];
	/** The arguments except {@link API_KEY}: the fields of the operations, and extra ones. */
	readonly fields: readonly Pick<OperationField, "name" | "isRequired" | "schema">[];
	/** The schema of all arguments, including {@link API_KEY}. */
	readonly schema: TObject;
	/** Whether one of the operations requires or accepts a key. */
	readonly takesKey: boolean;
}

/** An operation of a tool. */
export interface ToolOperation {
	readonly route: string;
	readonly operation: Operation;
	readonly fields: readonly OperationField[];
}

/** Creates a tool. `operations` contains the operations of its routes, in the same order. */
export function createTool(definition: ToolDefinition, operations: readonly Operation[]): Tool {
	const { routes, extra, hidden = [] } = definition;
	const called = operations.map((operation, at): ToolOperation => {
		return { route: routes[at] ?? "", operation, fields: fieldsOf(operation) };
	});
	const inherited = called.flatMap(({ operation, fields }) =>
		fields.map(({ name, in: place, isRequired, schema }) => {
			const hasForms = place === "body" && operation.body?.anyOf !== undefined;
			return { name, schema, isRequired: isRequired && !hasForms };
		}),
	);
	const own = Object.entries(extra?.properties ?? {}).map(([name, schema]) => {
		return { name, schema, isRequired: false };
	});
	const fields = [...inherited, ...own].filter(({ name }) => !hidden.includes(name));
	return {
		...definition,
		operations: called,
		fields,
		schema: Type.Object(
			Object.fromEntries([[API_KEY, {}], ...fields.map(({ name, schema }) => [name, schema])]),
		),
		takesKey: operations.some(({ credential }) => credential !== "none"),
	};
}

/** Derives the input schema of a tool from its operations. */
export function inputSchemaOf(tool: Tool, registration: Registration) {
	const { fields, schemas = {}, findsByName, takesKey } = tool;
	const properties: Record<string, JsonSchema> = {};
	const required = new Set<string>();
	for (const { name, isRequired, schema } of fields) {
		// Omits an argument that this instance does not need, because each argument costs tokens.
		if (name === "inviteCode" && registration !== "invite") continue;
		properties[name] = schemas[name] ?? shortSchema(schema);
		if (isRequired && !(findsByName && name === "ids")) required.add(name);
	}
	if (takesKey) properties[API_KEY] = { type: "string" };
	return { type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
}

/** Schemas omit maximums from this number on, because they are not worth the tokens. */
const MAX_SHOWN = 1_000_000;

/**
 * Shortens a schema to save tokens. Omits `null`, because a model can leave out an optional value instead.
 * Also omits `format`, because Gemini refuses tools that use it.
 */
function shortSchema(schema: JsonSchema): JsonSchema {
	const { type, items, ...rest } = toDocumentSchema(schema);
	const { description, minLength, maxLength, maxItems, minimum, maximum } = rest;
	const [kind = "string"] = [type ?? []].flat();
	if (rest.enum !== undefined) return { type: kind, enum: rest.enum };
	return {
		type: kind,
		...(items && { items: shortSchema(items) }),
		...(maxItems && { maxItems }),
		...(minLength && { minLength }),
		...(maxLength && { maxLength }),
		...(minimum !== undefined && { minimum }),
		...(maximum !== undefined && maximum < MAX_SHOWN && { maximum }),
		...(description && { description }),
	};
}
