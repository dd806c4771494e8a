import { mapValues } from "../lib/record.ts";

/** A JSON Schema (draft 2020-12), as far as this service uses it. */
export interface JsonSchema {
	readonly $ref?: string;
	readonly title?: string;
	readonly description?: string;
	readonly type?: string | readonly string[];
	readonly format?: string;
	readonly const?: unknown;
	readonly enum?: readonly unknown[];
	readonly properties?: Readonly<Record<string, JsonSchema>>;
	readonly required?: readonly string[] | undefined;
	readonly items?: JsonSchema;
	readonly anyOf?: readonly JsonSchema[];
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly maxItems?: number;
	readonly minProperties?: number;
}

/** Schemas that have a name, which is their title. */
export type Components = Record<string, JsonSchema>;

const REFERENCE = "#/components/schemas/";

/**
 * A schema as the OpenAPI document shows it: without what only the validator understands, enumerations and
 * nullable types written the short way, and named parts moved to the components.
 * @param components receives the schemas that have a name
 */
export function toDocumentSchema(
	schema: JsonSchema,
	components: Components,
): JsonSchema {
	const shown = shorten(
		mapParts(schema, (part) => toDocumentSchema(part, components)),
	);
	if (schema.title === undefined) return shown;
	components[schema.title] = shown;
	return { $ref: REFERENCE + schema.title };
}

/** The schema that another one refers to, or itself. */
export function resolve(
	schema: JsonSchema,
	components: Components,
): JsonSchema {
	if (schema.$ref === undefined) return schema;
	return components[schema.$ref.slice(REFERENCE.length)] ?? schema;
}

/** What a field takes, in the words of the operations table: `2..100`, `list of 0..10, each 0..50`. */
export function boundsOf(schema: JsonSchema): string {
	const [first, ...others] = schema.anyOf ?? [];
	if (first !== undefined) {
		const nullable = others.some(({ type }) => type === "null");
		return boundsOf(first) + (nullable ? " or null" : "");
	}
	const { minimum, maximum, minLength = 0, maxLength, maxItems } = schema;
	if (schema.enum) return schema.enum.join(", ");
	if (schema.const !== undefined) return String(schema.const);
	if (schema.items)
		return `list of 0..${maxItems}, each ${boundsOf(schema.items)}`;
	if (minimum !== undefined) return `${minimum}..${maximum}`;
	if (schema.format === "uri") return `https URL of 0..${maxLength}`;
	if (maxLength !== undefined) return `${minLength}..${maxLength}`;
	return schema.format === "uuid" ? "id" : (schema.description ?? "text");
}

function mapParts(
	{ properties, items, anyOf, ...rest }: JsonSchema,
	map: (part: JsonSchema) => JsonSchema,
): JsonSchema {
	return {
		...rest,
		...(properties && {
			properties: mapValues(properties, map),
		}),
		...(items && { items: map(items) }),
		...(anyOf && { anyOf: anyOf.map(map) }),
	};
}

function shorten(schema: JsonSchema): JsonSchema {
	const { anyOf, ...rest } = schema;
	if (!anyOf) return schema;
	if (anyOf.every((part) => part.const !== undefined)) {
		return { ...rest, type: "string", enum: anyOf.map((part) => part.const) };
	}
	const [first, second, ...more] = anyOf;
	const isNullable =
		typeof first?.type === "string" &&
		first.enum === undefined &&
		second?.type === "null" &&
		more.length === 0;
	return isNullable
		? { ...rest, ...first, type: [`${first.type}`, "null"] }
		: schema;
}
