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

/**
 * The maximum nesting depth of values in a request body. List items in a nested object, such as `app.interests[0]`,
 * have this depth.
 */
const MAX_DEPTH = 3;

/** The maximum number of unknown fields that a response lists, and the maximum length of their names in code points. */
const MAX_IGNORED = 10;
const MAX_NAME = 64;

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Validates a request body, and removes its unknown fields. Call {@link trimStrings} first.
 * @returns the same body
 * @throws ResortError `invalid`, which names the first invalid field
 */
export function validateBody(schema: TSchema, body: object): object {
	const known = Value.Clean(schema, body) as object;
	requireValid(schema, known);
	return known;
}

/**
 * Returns the names of the fields of a request body that no schema contains. Returns at most 10 names, each truncated
 * to 64 code points. The name of a field in a nested object includes the name of the object, such as `identity.nme`.
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
 * Checks that a request contains no unknown query parameters or body fields.
 * @param body the request body before validation
 * @throws ResortError `invalid` for the first unknown name. The hint contains the most similar known name; all known
 * names if none is similar
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
 * @returns the known parameters in the order of the schema. Parameters of the kind `WholeNumber` are converted to
 * numbers
 * @throws ResortError `invalid`, which names the first invalid parameter
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
 * Returns a copy of a value in which all strings except the field `apiKey` are trimmed. Lists and objects at the
 * maximum depth become empty, so that no other code has to handle deep nesting.
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

/**
 * Returns the most specific cause of a validation error. For a nullable list or object, this is the error of the list
 * or object, not the error that the value is not null.
 */
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
		...(error.value === undefined && {
			hint: `Add ${field} to the call: it ${requirement({ ...error, value: "x" })}.`,
		}),
	});
}

function isKnown(schema: TSchema | undefined, name: string): boolean {
	return Object.hasOwn(schema?.properties ?? {}, name);
}

function isIndex(name: string): boolean {
	return /^\d+$/.test(name);
}

/**
 * Returns the requirement that a value does not meet, such as `must be a UUID`. The text completes an error message
 * after the name of the field.
 */
export function requirement({ schema, value }: ValueError): string {
	const { minLength, maxLength, minimum, maximum, maxItems } = schema;
	// The schema of a nullable value has a list of types, whose first entry is the type of the value.
	const [type] = [schema.type].flat();
	const options = schema.enum ?? ("const" in schema ? [schema.const] : null);
	if (value === undefined) return "is required";
	if (options !== null) {
		return `must be ${options.filter((option: unknown) => option !== "").join(" or ")}`;
	}
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
