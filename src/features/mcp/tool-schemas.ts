import type { Registration } from "../../core/resort/registration-invites/service.ts";
import { fieldsOf, type JsonSchema, toDocumentSchema } from "../documents/operation-schema.ts";
import type { Tool, ToolField } from "./tool.ts";

/**
 * The name of the argument for the agent's key, for clients that cannot send header fields. In a result, the
 * field with this name contains a new key, and the field `keep` explains how to store the key.
 */
export const API_KEY = "apiKey";

/** Derives the input schema of a tool from its operations. */
export function inputSchemaOf(tool: Tool, registration: Registration) {
	const { schemas = {}, findsByName, fields } = tool;
	const properties: Record<string, JsonSchema> = {};
	const required = new Set<string>();
	for (const { name, isRequired, schema } of fields) {
		// An argument that is not needed is omitted, because each argument costs tokens.
		if (name === "inviteCode" && registration !== "invite") continue;
		properties[name] = schemas[name] ?? shortSchema(schema);
		if (isRequired && !(findsByName && name === "ids")) required.add(name);
	}
	if (takesKey(tool)) properties[API_KEY] = { type: "string" };
	return { type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
}

/** Returns the arguments of a tool except {@link API_KEY}: operations' fields and extra ones. */
export function fieldsOfTool(tool: Omit<Tool, "fields">): ToolField[] {
	const { operations, extra, hidden = [] } = tool;
	const fields = operations.flatMap((operation) =>
		fieldsOf(operation).map(({ name, in: place, isRequired, schema }) => {
			const hasForms = place === "body" && operation.body?.anyOf !== undefined;
			return { name, schema, isRequired: isRequired && !hasForms };
		}),
	);
	const own = Object.entries(extra?.properties ?? {}).map(([name, schema]) => {
		return { name, schema, isRequired: false };
	});
	return [...fields, ...own].filter(({ name }) => !hidden.includes(name));
}

/** Whether a tool has an operation that requires a key, or may use one. */
export function takesKey({ operations }: Tool): boolean {
	return operations.some(({ credential }) => credential !== "none");
}

/** Larger maximums are omitted from schemas, because they are not worth the tokens. */
const MAX_SHOWN = 1_000_000;

/**
 * Shortens a schema to what a model needs, to save tokens. Omits `null`, because a model can leave an
 * optional value out instead, and formats, because Gemini refuses tools with them.
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
