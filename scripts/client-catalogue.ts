/** Prints what the client knows of the operations: no rule, bound or text of them is written again. */
import type { TSchema } from "@sinclair/typebox";
import type {
	ClientField,
	ClientOperation,
	Need,
} from "../src/client/catalogue.ts";
import { boundsOf, type JsonSchema } from "../src/guide/schema.ts";
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
			allowed: boundsOf(field),
			choices: (plain.enum ?? []).map(String),
			most: plain.maximum ?? null,
		};
	});
}

function kindOf({ type }: JsonSchema): ClientField["kind"] {
	const [first] = [type].flat();
	if (first === "array") return "list";
	if (first === "integer" || first === "number") return "number";
	return first === "object" ? "object" : "text";
}
