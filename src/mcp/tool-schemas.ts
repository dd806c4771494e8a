import {
	fieldsOf,
	type JsonSchema,
	toDocumentSchema,
} from "../guide/operation-schema.ts";
import type { Registration } from "../resort/registration-invites/service.ts";
import { Ignored } from "../resort/schemas.ts";
import type { Tool } from "./tools.ts";

/**
 * The argument for the key, for clients that cannot send header fields. In a result, it is the name of the field with a
 * new key; the field `keep` next to it explains how to store the key.
 */
export const API_KEY = "apiKey";

/** Derives the input schema of a tool from its operations. */
export function inputSchemaOf(
	tool: Tool,
	registration: Registration,
	translate: (text: string) => string,
) {
	const { presets = {}, choice, operations } = tool;
	const properties: Record<string, JsonSchema> = {};
	const required = new Set<string>();
	if (choice) properties[choice.name] = { enum: choice.values };
	for (const operation of operations) {
		for (const { name, in: place, isRequired, schema } of fieldsOf(operation)) {
			if (name in presets) continue;
			// Omitted if it is not needed, because each field costs tokens.
			if (name === "inviteCode" && registration !== "invite") continue;
			properties[name] = shortSchema(schema, translate);
			const hasAlternative = place === "body" && operation.alternative;
			if (isRequired && !hasAlternative) required.add(name);
		}
	}
	const takesKey = operations.some(
		({ credential, own }) => credential !== "none" || own !== undefined,
	);
	if (takesKey) properties[API_KEY] = { type: "string" };
	return {
		type: "object",
		properties,
		...(required.size > 0 && { required: [...required] }),
	};
}

/**
 * Derives the output schema of a tool. If the tool runs several operations, their responses are merged into one object.
 * If it runs one of several, the result is the response of that one.
 */
export function outputSchemaOf({ pick, presets, operations }: Tool) {
	const schemas = operations.flatMap(({ views, answers }) => {
		const view = views?.[presets?.view ?? ""];
		const ofOperation = view === undefined ? Object.values(answers) : [view];
		return ofOperation.map((answer) => toDocumentSchema(answer));
	});
	const hasKey = schemas.some(({ properties = {} }) => API_KEY in properties);
	const isOneOf = pick !== undefined || schemas.length > operations.length;
	return {
		type: "object",
		properties: {
			ignored: toDocumentSchema(Ignored),
			...(hasKey && { keep: { type: "string" } }),
		},
		[isOneOf ? "anyOf" : "allOf"]: schemas,
	};
}

/** Larger maximums are omitted: they are not worth the tokens. */
const MAX_SHOWN = 1_000_000;

/**
 * Shortens a schema to what a model needs, to save tokens. Omits `null`, because optional values can be left out as
 * well. Also omits some bounds; an error names them when a value exceeds them.
 */
function shortSchema(
	schema: JsonSchema,
	translate: (text: string) => string,
): JsonSchema {
	const { type, items, ...rest } = toDocumentSchema(schema);
	const { format, maxLength, maximum = 0, description } = rest;
	const isTime = format === "date-time";
	if (rest.enum !== undefined) return { enum: rest.enum };
	if (rest.const !== undefined) return { const: rest.const };
	const [kind = "string"] = [type ?? []].flat();
	return {
		type: kind,
		...(items?.type !== undefined && { items: { type: items.type } }),
		...(isTime && { format }),
		...(maxLength && { maxLength }),
		...(maximum && maximum < MAX_SHOWN && { maximum }),
		...(description && !isTime && { description: translate(description) }),
	};
}
