import { Kind, type TObject, type TSchema } from "@sinclair/typebox";
import {
	type TypeCheck,
	TypeCompiler,
	type ValueError,
	ValueErrorType,
} from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { nearestName } from "../lib/nearest-name.ts";
import { isRecord } from "../lib/record.ts";
import { invalid, type ResortError } from "../lib/resort-error.ts";
import type { Operation, SentQuery } from "./operation.ts";
import { textFault } from "./schemas.ts";

/** The greatest depth of a body's values: the items of a list in a group of settings. */
const MAX_DEPTH = 3;

/** The most unknown fields that a response lists, and the most code points of their names. */
const MAX_IGNORED = 10;
const MAX_NAME = 64;

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Validates a body and removes its unknown fields. {@link trimStrings} must have been called before.
 * @throws ResortError `invalid` that names the first invalid field
 */
export function validateBody(schema: TSchema, body: object): object {
	const known = Value.Clean(schema, body) as object;
	requireValid(schema, known);
	return known;
}

/**
 * Returns the names of a body's fields that none of the schemas contains: at most 10, each cut to 64 code points. The name
 * of a group precedes that of its field, as in `identity.nme`.
 */
export function ignoredFields(
	schemas: readonly (TSchema | undefined)[],
	body: object,
): string[] {
	return unknownNames(schemas, body)
		.slice(0, MAX_IGNORED)
		.map((name) => [...name].slice(0, MAX_NAME).join(""));
}

function unknownNames(
	schemas: readonly (TSchema | undefined)[],
	body: object,
): string[] {
	return Object.entries(body).flatMap(([name, value]) => {
		const known = schemas.filter((schema) => isKnown(schema, name));
		if (known.length === 0) return [name];
		const groups = known.map((schema) => schema?.properties[name]);
		return isRecord(value) && groups.every(({ type }) => type === "object")
			? unknownNames(groups, value).map((inner) => `${name}.${inner}`)
			: [];
	});
}

/**
 * Refuses unknown parameters and fields.
 * @param body before its validation
 * @throws ResortError `invalid` with the first unknown name, and the nearest known name or all of them
 */
export function requireKnownNames(
	operation: Pick<Operation, "query" | "body">,
	query: SentQuery,
	body: object,
): void {
	const inputs = [
		{ kind: "parameter", schema: operation.query, input: query },
		{ kind: "field", schema: operation.body, input: body },
	];
	for (const { kind, schema, input } of inputs) {
		const [name] = ignoredFields([schema], input);
		if (name === undefined) continue;
		const known = Object.keys(schema?.properties ?? {});
		const nearest = nearestName(name, known);
		const all =
			known.length > 0
				? `Valid names: ${known.join(", ")}.`
				: `This call takes no ${kind}s.`;
		throw invalid(`There is no ${kind} ${name}`, {
			field: name,
			hint: nearest === undefined ? all : `The nearest is ${nearest}.`,
		});
	}
}

/**
 * Validates the parameters of a query.
 * @returns the known ones in the order of the schema, whole numbers as numbers
 * @throws ResortError `invalid` that names the first invalid parameter
 */
export function validateQuery(
	schema: TObject,
	query: Readonly<Record<string, string>>,
): Record<string, string | number> {
	requireValid(schema, query);
	const read: Record<string, string | number> = {};
	for (const [name, { [Kind]: kind }] of Object.entries(schema.properties)) {
		const value = query[name];
		if (value === undefined) continue;
		read[name] = kind === "WholeNumber" ? Number(value) : value;
	}
	return read;
}

/**
 * Trims every string but `apiKey`, and removes values below the greatest depth, so that deep nesting reaches no other
 * code.
 */
export function trimStrings(value: unknown, depth = MAX_DEPTH): unknown {
	if (typeof value === "string") return value.trim();
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) {
		return depth === 0 ? [] : value.map((item) => trimStrings(item, depth - 1));
	}
	if (depth === 0) return {};
	return Object.fromEntries(
		Object.entries(value).map(([name, field]) => [
			name,
			name === "apiKey" && typeof field === "string"
				? field
				: trimStrings(field, depth - 1),
		]),
	);
}

/** Returns the most specific error: for a value that may be null, that of the value itself. */
export function clearestError(
	first: ValueError | undefined,
): ValueError | undefined {
	let error = first;
	while (error?.type === ValueErrorType.Union) {
		error = error.errors[0]?.First();
	}
	return error;
}

function requireValid(schema: TSchema, value: object): void {
	let check = compiled.get(schema);
	if (check === undefined) {
		check = TypeCompiler.Compile(schema);
		compiled.set(schema, check);
	}
	if (check.Check(value)) return;
	throw invalidField(clearestError(check.Errors(value).First()));
}

function invalidField(error: ValueError | undefined): ResortError {
	if (error === undefined) return invalid("Invalid request");
	const names = error.path.split("/").slice(1);
	if (names.length === 0) {
		const fields = Object.keys(error.schema.properties ?? {}).join(", ");
		return invalid(`Body must have one of: ${fields}`);
	}
	const field = names.filter((name) => !isIndex(name)).join(".");
	const subject = names.some(isIndex) ? `${field} items` : field;
	return invalid(`${subject} ${requirement(error)}`, {
		field,
	});
}

function isKnown(schema: TSchema | undefined, name: string): boolean {
	return Object.hasOwn(schema?.properties ?? {}, name);
}

function isIndex(name: string): boolean {
	return /^\d+$/.test(name);
}

/** Returns what a value must be: the end of an error message that begins with the name of its field. */
export function requirement({ schema, value }: ValueError): string {
	const { minLength, maxLength, minimum, maximum, maxItems } = schema;
	// The type of a value that may be null is a list.
	const [type] = [schema.type].flat();
	const options = schema.enum ?? ("const" in schema ? [schema.const] : null);
	if (value === undefined) return "is required";
	if (options !== null) return `must be ${options.join(" or ")}`;
	if (schema.description) return `must be ${schema.description}`;
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
