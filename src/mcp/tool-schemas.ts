import {
	fieldsOf,
	type JsonSchema,
	toDocumentSchema,
} from "../guide/operation-schema.ts";
import { mapValues } from "../lib/record.ts";
import type { Registration } from "../resort/invites/service.ts";
import { Ignored } from "../resort/schemas.ts";
import { isHidden, type Tool } from "./tools.ts";

/** The argument for the key of clients that cannot send headers. */
export const API_KEY = "apiKey";

/** The field of a result with a new key; `keep` beside it says what to do with the key. */
export const NEW_KEY = "apiKey";

type Properties = Record<string, JsonSchema>;

/** Derives the input schema of a tool from its operations. */
export function inputSchemaOf(
	tool: Tool,
	registration: Registration,
	translate: (text: string) => string,
) {
	const { presets = {}, choice, operations } = tool;
	const properties: Properties = {};
	const required = new Set<string>();
	if (choice) properties[choice.name] = { enum: choice.values };
	for (const operation of operations) {
		for (const { name, in: place, isRequired, schema } of fieldsOf(operation)) {
			if (isHidden(tool, name)) continue;
			// Unneeded fields cost tokens.
			if (name === "inviteCode" && registration !== "invite") continue;
			properties[name] = shortSchema(schema, translate);
			const isAlwaysRequired =
				isRequired && !(place === "body" && operation.alternative);
			if (isAlwaysRequired && !(name in presets)) required.add(name);
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

/** Derives the output schema of a tool: it merges the responses of its operations. */
export function outputSchemaOf({ pick, presets, operations }: Tool) {
	const answers = operations.flatMap((operation) => {
		const view = operation.views?.[presets?.view ?? ""];
		return view === undefined ? Object.values(operation.answers) : [view];
	});
	const schemas = answers.map((answer) => toDocumentSchema(answer));
	const isOneOf = pick !== undefined || answers.length > operations.length;
	const required = schemas.map((schema) => schema.required ?? []);
	const names = [...new Set(required.flat())];
	const properties = mergeProperties(schemas);
	return {
		type: "object",
		properties: {
			...properties,
			ignored: toDocumentSchema(Ignored),
			...(NEW_KEY in properties && { keep: { type: "string" } }),
		},
		required: isOneOf
			? names.filter((name) => required.every((one) => one.includes(name)))
			: names,
	};
}

/** Merges the properties of several objects; `anyOf` combines different definitions of one property. */
function mergeProperties(schemas: readonly JsonSchema[]): Properties {
	const merged: Record<string, JsonSchema[]> = {};
	for (const { properties = {} } of schemas) {
		for (const [name, schema] of Object.entries(properties)) {
			merged[name] ??= [];
			if (merged[name].every((known) => !Bun.deepEquals(known, schema))) {
				merged[name].push(schema);
			}
		}
	}
	return mapValues(merged, ([first = {}, ...others]) =>
		others.length === 0 ? first : { anyOf: [first, ...others] },
	);
}

/** A larger maximum is not worth its tokens. */
const MAX_SHOWN = 1_000_000;

/**
 * Shortens a schema to what a model needs, as it pays for each token: a value that may be null can as well be left
 * out, and an error names the bounds that are missing here.
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
