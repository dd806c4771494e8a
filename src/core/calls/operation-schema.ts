import { mapValues } from "../lib/record.ts";
import type { Operation } from "../resort/operation.ts";

/** A JSON Schema (draft 2020-12), limited to the keywords that this service uses. */
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

/** A parameter of an operation, or a field of the operation's request body. */
export interface OperationField {
	readonly name: string;
	/**
	 * Where requests contain the field. `otherForm`: only in an alternative of the body, not in its first form.
	 */
	readonly in: "path" | "query" | "body" | "otherForm";
	/** Always false for fields that only other forms of the request body have. */
	readonly isRequired: boolean;
	readonly schema: JsonSchema;
}

/** Returns the parameters and the body fields of an operation. */
export function fieldsOf(operation: Operation): OperationField[] {
	const { path, query, body } = operation;
	const [form, ...otherForms]: readonly (JsonSchema | undefined)[] = body?.anyOf ?? [body];
	const fieldsIn = (place: "query" | "body", schema: JsonSchema = {}) =>
		Object.entries(schema.properties ?? {}).map(([name, property]) => ({
			name,
			in: place,
			isRequired: schema.required?.includes(name) ?? false,
			schema: property,
		}));
	const bodyFields = fieldsIn("body", form);
	return [
		...Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => ({
			name,
			in: "path" as const,
			isRequired: true,
			schema: { type: "string" },
		})),
		...fieldsIn("query", query),
		...bodyFields,
		...otherForms
			.flatMap((other) => fieldsIn("body", other))
			.filter(({ name }) => bodyFields.every((field) => field.name !== name))
			.map((field) => ({ ...field, in: "otherForm" as const, isRequired: false })),
	];
}

/** The schemas that have a title, by title. */
export type Components = Record<string, JsonSchema>;

/**
 * Converts a schema for the OpenAPI document. Writes nullable types in short form, such as `type: ["string",
 * "null"]`, and replaces schemas that have a title by references.
 * @param components collects the schemas that have a title; without it, no schema is replaced by a reference
 */
export function toDocumentSchema(schema: JsonSchema, components?: Components): JsonSchema {
	const convert = (part: JsonSchema) => toDocumentSchema(part, components);
	const { properties, items, anyOf, ...rest } = schema;
	const forms = anyOf?.map(convert);
	const [first, second, ...more] = forms ?? [];
	const isNullable =
		typeof first?.type === "string" &&
		first.title === undefined &&
		second?.type === "null" &&
		more.length === 0;
	const converted = {
		...rest,
		...(properties && { properties: mapValues(properties, convert) }),
		...(items && { items: convert(items) }),
		...(isNullable ? { ...first, type: [`${first.type}`, "null"] } : forms && { anyOf: forms }),
	};
	if (schema.title === undefined || components === undefined) return converted;
	components[schema.title] = converted;
	return { $ref: `#/components/schemas/${schema.title}` };
}

/**
 * Describes the bounds of a field's values in short form, such as `2..100` or `list of 0..10, each 0..50`.
 */
export function boundsOf(schema: JsonSchema): string {
	const { minimum, maximum, minLength = 0, maxLength, maxItems } = schema;
	if (schema.enum) return schema.enum.join(", ");
	if (schema.const !== undefined) return String(schema.const);
	if (schema.items) return `list of 0..${maxItems}, each ${boundsOf(schema.items)}`;
	if (minimum !== undefined) return `${minimum}..${maximum}`;
	if (schema.format === "uri") return `https URL of 0..${maxLength}`;
	if (maxLength !== undefined) return `${minLength}..${maxLength}`;
	if (schema.type === "object") return "object";
	return schema.format === "uuid" ? "id" : (schema.description ?? "text");
}
