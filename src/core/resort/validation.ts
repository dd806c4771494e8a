import type { TObject, TSchema } from "@sinclair/typebox";
import { misspeltName, nearestName } from "../lib/nearest-name.ts";
import { isRecord, mapValues } from "../lib/record.ts";
import { invalid, type ResortError } from "../lib/resort-error.ts";
import { findError, matches, type SchemaError } from "../lib/schema-compiler.ts";
import { marks, textFault } from "./schemas.ts";

/** The maximum nesting depth of values in a body: the depth of `app.interests[0]`. */
const MAX_DEPTH = 3;

/** The maximum number of unknown fields that a response names. */
const MAX_IGNORED = 10;
/** The maximum length of an unknown name or id in a response, in code points. */
const MAX_NAME = 64;

/**
 * Validates a request body, and removes its unknown fields. Call {@link trimStrings} first.
 * @param schema a union if the body has several forms. The first form applies if no other matches
 * @returns a copy with the known fields, in the order of the schema
 * @throws ResortError `invalid`, which names the first invalid field
 */
export function validateBody(schema: TSchema, body: object): object {
	const [first = schema, ...others] = formsOf(schema);
	const form = others.find((one) => matches(one, body)) ?? first;
	const known = knownFields(form, body as Record<string, unknown>);
	requireValid(form, known);
	return known;
}

/** Returns the forms that a body may have: the variants of a union, or the schema itself. */
export function formsOf(schema: TSchema | undefined): readonly TSchema[] {
	return schema?.anyOf ?? (schema === undefined ? [] : [schema]);
}

/**
 * Returns the known fields of an object. Omits nested objects that contain no known field, so that a body
 * that would change nothing is refused like an empty body.
 */
function knownFields(schema: TSchema, value: Readonly<Record<string, unknown>>): object {
	const { properties = {} } = schema;
	const fields = Object.keys(properties).flatMap((name) => {
		if (!Object.hasOwn(value, name)) return [];
		const field = value[name];
		const inner = withoutNull(properties[name]);
		if (inner.type !== "object" || !isRecord(field)) return [[name, field]];
		const known = knownFields(inner, field);
		return Object.keys(known).length === 0 ? [] : [[name, known]];
	});
	return Object.fromEntries(fields);
}

/**
 * Checks the names in an input: parameters of a query, fields of a body, arguments of a tool, fields of
 * fixtures. Refuses a misspelt name, because the call would not do what was intended. For example, a private
 * postcard would become public.
 * @param kind what an error calls a name, such as `parameter`
 * @param schemas the schemas that the input may match
 * @param isStrict whether all unknown names are refused
 * @param group the path of a nested input, such as `identity.`
 * @returns at most 10 accepted unknown names, with their paths and truncated to 64 code points
 * @throws ResortError `invalid` for the first refused name. The error suggests the most similar known name,
 * or lists all known names
 */
export function checkNames(
	kind: string,
	schemas: readonly TSchema[],
	input: object,
	{ isStrict, group = "" }: { readonly isStrict: boolean; readonly group?: string },
): string[] {
	if (Object.keys(input).length === 0) return [];
	const properties = schemas.map((schema) => schema.properties ?? {});
	const known = [...new Set(properties.flatMap(Object.keys))];
	const ignored = Object.entries(input).flatMap(([name, value]) => {
		const fields = properties.flatMap((one) => (Object.hasOwn(one, name) ? withoutNull(one[name]) : []));
		if (fields.length === 0) {
			const meant = misspeltName(name, known);
			const shown = shortenName(group + name);
			if (!isStrict && meant === undefined) return [shown];
			const nearest = meant ?? nearestName(name, known);
			const all = known.length > 0 ? `Valid ${kind}s: ${known.join(", ")}.` : `This call takes no ${kind}s.`;
			throw invalid(`Unknown ${kind} ${shown}`, {
				field: shown,
				hint: nearest === undefined ? all : `Did you mean ${group}${nearest}?`,
			});
		}
		const isList = Array.isArray(value);
		const inner = isList ? fields.map(({ items }) => items) : fields;
		if (inner.some((schema) => schema?.type !== "object")) return [];
		return (isList ? value : [value]).flatMap((one, at) => {
			const path = `${group}${name}${isList ? `[${at}]` : ""}.`;
			return isRecord(one) ? checkNames(kind, inner, one, { isStrict, group: path }) : [];
		});
	});
	return ignored.slice(0, MAX_IGNORED);
}

/** Shortens an unknown name or id for a response. */
export function shortenName(name: string): string {
	return [...name.slice(0, 2 * MAX_NAME)].slice(0, MAX_NAME).join("");
}

/** Returns the schema of the values other than null. */
function withoutNull(schema: TSchema): TSchema {
	return schema.anyOf?.[0] ?? schema;
}

/**
 * Removes the fields that count as omitted: fields with null, and fields with an empty string in place of an
 * id, an enum value, a URL or a time. Language models, and programs that fill every field, send such values.
 */
export function withoutOmitted<T>(outer: TSchema, value: T): T {
	const { properties = {}, items = {} } = withoutNull(outer);
	if (Array.isArray(value)) {
		return value.map((item) => withoutOmitted(items, item)) as T;
	}
	if (!isRecord(value)) return value;
	const fields = Object.entries(value).flatMap(([name, field]) => {
		const schema = Object.hasOwn(properties, name) ? properties[name] : {};
		const inner = withoutNull(schema);
		const isFixed = (inner.enum ?? inner.format) !== undefined || marks.requirement in inner;
		const isOmitted = field === null || (field === "" && isFixed);
		return isOmitted ? [] : [[name, withoutOmitted(schema, field)]];
	});
	return Object.fromEntries(fields) as T;
}

/**
 * Validates the parameters of a query.
 * @returns the known parameters in the order of the schema, with whole numbers converted from text
 * @throws ResortError `invalid`, which names the first invalid parameter
 */
export function validateQuery(
	schema: TObject,
	query: Readonly<Record<string, string>>,
): Record<string, string | number> {
	requireValid(schema, query);
	const read: Record<string, string | number> = {};
	for (const [name, field] of Object.entries(schema.properties)) {
		const value = query[name];
		if (value !== undefined) read[name] = marks.digits in field ? Number(value) : value;
	}
	return read;
}

/**
 * Returns a copy of a value in which all strings except the field `apiKey` are trimmed. Lists and objects at
 * the maximum depth become empty.
 */
export function trimStrings(value: unknown, depth = MAX_DEPTH): unknown {
	if (typeof value === "string") return value.trim();
	if (Array.isArray(value)) {
		return depth === 0 ? [] : value.map((item) => trimStrings(item, depth - 1));
	}
	if (!isRecord(value)) return value;
	return mapValues(depth === 0 ? {} : value, (field, name) =>
		name === "apiKey" && typeof field === "string" ? field : trimStrings(field, depth - 1),
	);
}

function requireValid(schema: TSchema, value: object): void {
	if (!matches(schema, value)) throw invalidField(findError(schema, value));
}

function invalidField(error: SchemaError | undefined): ResortError {
	if (error === undefined) return invalid("Invalid request");
	const names = error.path.split("/").slice(1);
	if (names.length === 0) {
		const fields: [string, TSchema][] = Object.entries(error.schema.properties ?? {});
		const nested = fields.flatMap(([name, { properties }]) =>
			properties === undefined ? [] : `Fields of ${name}: ${Object.keys(properties).join(", ")}.`,
		);
		return invalid(`Body must have one of: ${fields.map(([name]) => name).join(", ")}`, {
			...(nested.length > 0 && { hint: nested.join(" ") }),
		});
	}
	const field = names.filter((name) => !isIndex(name)).join(".");
	const subject = names.some(isIndex) ? `${field} items` : field;
	return invalid(`${subject} ${requirement(error)}`, {
		field,
		...(error.value === undefined && {
			hint: `Add ${field} to the call: it ${requirement({ ...error, value: "x" })}.`,
		}),
	});
}

function isIndex(name: string): boolean {
	return /^\d+$/.test(name);
}

/** Returns the requirement that a value does not meet, such as `must be a UUID`, for an error message. */
export function requirement({ schema, value }: SchemaError): string {
	const { minLength, maxLength, minimum, maximum, maxItems } = schema;
	// The schema of a nullable value has a list of types, whose first entry is the type of the value.
	const [type] = [schema.type].flat();
	const options = schema.enum ?? ("const" in schema ? [schema.const] : null);
	if (value === undefined) return "is required";
	if (options !== null) {
		return `must be ${options.filter((option: unknown) => option !== "").join(" or ")}`;
	}
	if (marks.requirement in schema) return `must be ${schema.description}`;
	if (type === "boolean") return "must be true or false";
	if (type === "object") return "must be an object";
	if (type === "integer" || type === "number") {
		return `must be a whole number from ${minimum} to ${maximum}`;
	}
	if (type === "array") {
		return `must be a list of at most ${maxItems} strings`;
	}
	if (schema.format === "uuid") return "must be a UUID";
	if (typeof value !== "string") return "must be a string";
	const fault = textFault(schema, value);
	if (fault !== undefined) return fault;
	if (schema.format === "uri") {
		return `must be an https:// URL of at most ${maxLength} characters`;
	}
	return minLength > 0
		? `must be ${minLength} to ${maxLength} characters`
		: `must be at most ${maxLength} characters`;
}
