/** Prints the catalogue of operations that is built into the client. */
import type { TSchema } from "@sinclair/typebox";
import { operations } from "../src/cli/operations.ts";
import type { ClientField, ClientOperation, Need } from "../src/client/catalogue.ts";
import {
	boundsOf,
	fieldsOf,
	type JsonSchema,
	type OperationField,
} from "../src/core/calls/operation-schema.ts";
import { eventTypes } from "../src/core/resort/events/publish.ts";
import type { Operation } from "../src/core/resort/operation.ts";
import { marks } from "../src/core/resort/schemas.ts";

process.stdout.write(JSON.stringify(operations.map(toClient)));

function toClient(operation: Operation): ClientOperation {
	return {
		id: operation.id,
		method: operation.method,
		path: operation.path,
		summary: operation.summary,
		description: descriptionOf(operation),
		need: needOf(operation),
		fields: fieldsOf(operation).flatMap((field) => toClientField(field, operation)),
		returnsKey: Object.values(operation.answers).some((schema) => hasKey(schema)),
		takesKey: hasKey(operation.body),
	};
}

function descriptionOf({ description }: Operation): string {
	return (typeof description === "function" ? description(null) : description) ?? "";
}

function needOf({ credential }: Operation): Need {
	if (credential === "own") return "may";
	return credential === "none" || credential === "session" ? "none" : "must";
}

function hasKey(schema: TSchema | undefined): boolean {
	return "apiKey" in (schema?.properties ?? {});
}

function toClientField(
	{ name, in: place, isRequired, schema }: OperationField,
	{ query }: Operation,
): ClientField[] {
	if (place === "otherForm") return [];
	const plain = schema.anyOf?.[0] ?? schema;
	const isList = place === "query" && marks.commaList in (query?.properties[name] ?? {});
	return [
		{
			name,
			place,
			kind: isList ? "list" : kindOf(plain),
			isRequired,
			allowed: place === "path" ? "id" : allowedIn(schema),
			choices: choicesOf(name, plain),
		},
	];
}

/** Describes the allowed values of a field as the guide does, with units. */
function allowedIn(schema: JsonSchema): string {
	const [first] = schema.anyOf ?? [];
	const { enum: words, items, maxLength } = first ?? schema;
	const bounds = boundsOf(schema);
	if (words !== undefined) return words.length > 1 ? `one of ${bounds}` : bounds;
	if (items?.enum !== undefined) return bounds.replace("each ", "each one of ");
	const most = items === undefined ? maxLength : items.maxLength;
	// The bounds of a string come last, after those of the list that contains it.
	return most === undefined ? bounds : bounds.replace(/(\.\.\d+)(?!.*\.\.)/, "$1 characters");
}

/** Returns the allowed values of a field or, if it is a list, of its items. */
function choicesOf(name: string, { enum: words, items }: JsonSchema): string[] {
	const own = words ?? items?.enum;
	return (own ?? (name === "types" ? eventTypes : [])).map(String);
}

function kindOf({ type }: JsonSchema): ClientField["kind"] {
	const [first] = [type].flat();
	if (first === "array") return "list";
	if (first === "integer" || first === "number") return "number";
	return first === "object" ? "object" : "text";
}
