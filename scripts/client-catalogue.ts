/** Prints what the client knows of the operations: no rule, bound or text of them is written again. */
import type { TSchema } from "@sinclair/typebox";
import type {
	ClientField,
	ClientOperation,
	Need,
} from "../src/client/catalogue.ts";
import { boundsOf, type JsonSchema } from "../src/guide/schema.ts";
import { eventTypes } from "../src/resort/events/publish.ts";
import type { Operation } from "../src/resort/operation.ts";
import { operations } from "../src/resort/operations.ts";

process.stdout.write(JSON.stringify(operations.map(toClient)));

function toClient(operation: Operation): ClientOperation {
	return {
		id: operation.id,
		method: operation.method,
		path: operation.path,
		summary: operation.summary,
		description: descriptionOf(operation),
		need: needOf(operation),
		only: operation.only ?? null,
		fields: [
			...[...operation.path.matchAll(/:(\w+)/g)].map(
				([, name = ""]): ClientField => ({
					name,
					place: "path",
					kind: "text",
					isRequired: true,
					allowed: "id",
					choices: [],
					most: null,
				}),
			),
			...fieldsOf(operation.query, "query", operation.lists ?? []),
			...fieldsOf(operation.body, "body", []),
		],
		tellsKey: Object.values(operation.answers).some((schema) => hasKey(schema)),
		takesKey: hasKey(operation.body),
	};
}

function descriptionOf({ description }: Operation): string {
	return (
		(typeof description === "function" ? description(null) : description) ?? ""
	);
}

function needOf({ credential, own }: Operation): Need {
	if (credential === "none") return own ? "may" : "none";
	return credential === "session" ? "none" : "must";
}

function hasKey(schema: TSchema | undefined): boolean {
	return "apiKey" in (schema?.properties ?? {});
}

function fieldsOf(
	schema: JsonSchema | undefined,
	place: "query" | "body",
	lists: readonly string[],
): ClientField[] {
	return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
		const plain = field.anyOf?.[0] ?? field;
		return {
			name,
			place,
			kind: lists.includes(name) ? "list" : kindOf(plain),
			isRequired: schema?.required?.includes(name) ?? false,
			allowed: allowedIn(field),
			choices: choicesOf(name, plain),
			most: plain.maximum ?? null,
		};
	});
}

/** What a field takes, as the guide tells it, with the units that somebody on a terminal wants. */
function allowedIn(schema: JsonSchema): string {
	const [first] = schema.anyOf ?? [];
	const { enum: words, items, maxLength } = first ?? schema;
	const told = boundsOf(schema);
	if (words !== undefined) return words.length > 1 ? `one of ${told}` : told;
	if (items?.enum !== undefined) return told.replace("each ", "each one of ");
	const most = items === undefined ? maxLength : items.maxLength;
	// The last bounds are those of the text itself.
	return most === undefined
		? told
		: told.replace(/(\.\.\d+)(?!.*\.\.)/, "$1 characters");
}

/** The words that a field is one of, or that a list is made of. */
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
