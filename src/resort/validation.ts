import { Kind, type TObject, type TSchema } from "@sinclair/typebox";
import {
	type TypeCheck,
	TypeCompiler,
	type ValueError,
	ValueErrorType,
} from "@sinclair/typebox/compiler";
import { isRecord } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";
import { requirement } from "./requirement-text.ts";

/** The greatest depth of a body's values: the items of a list in a group of settings. */
const MAX_DEPTH = 3;

/** The most unknown fields that a response lists, and the most code points of their names. */
const MAX_IGNORED = 10;
const MAX_NAME = 64;

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Validates a body, whose strings are trimmed.
 * @returns its known fields
 * @throws ResortError `invalid` that names the first invalid field
 */
export function validateBody(schema: TSchema, body: object): object {
	const known = knownFields(schema, body);
	requireValid(schema, known);
	return known;
}

/**
 * Returns the names of a body's fields that no schema contains: at most 10, each cut to 64 code points. The name of a
 * group precedes that of its field, as in `identity.nme`.
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

function knownFields(schema: TSchema, object: object): object {
	const fields = Object.entries(object)
		.filter(([name]) => isKnown(schema, name))
		.map(([name, value]) => {
			const part = schema.properties[name];
			const isGroup = part.type === "object" && isRecord(value);
			return [name, isGroup ? knownFields(part, value) : value];
		});
	return Object.fromEntries(fields);
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
	if (error === undefined) return new ResortError("invalid", "Invalid request");
	const names = error.path.split("/").slice(1);
	if (names.length === 0) {
		const fields = Object.keys(error.schema.properties ?? {}).join(", ");
		return new ResortError("invalid", `Body must have one of: ${fields}`);
	}
	const field = names.filter((name) => !isIndex(name)).join(".");
	const subject = names.some(isIndex) ? `${field} items` : field;
	return new ResortError("invalid", `${subject} ${requirement(error)}`, {
		field,
	});
}

function isKnown(schema: TSchema | undefined, name: string): boolean {
	return Object.hasOwn(schema?.properties ?? {}, name);
}

function isIndex(name: string): boolean {
	return /^\d+$/.test(name);
}
