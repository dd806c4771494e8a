import {
	type DocumentOperation,
	limitInWords,
	type OpenApiDocument,
} from "./openapi.ts";
import { boundsOf, type JsonSchema, resolve } from "./schema.ts";

/** Together these are `page?` in the table; the guide says once what that is. */
const PAGING: readonly string[] = ["limit", "offset"];

/**
 * The operations as a table in Markdown: each with its credential, its fields and their bounds, and its
 * limit. Made from the OpenAPI document, so that the guide and the document agree.
 */
export function operationsTable(document: OpenApiDocument): string {
	const rows = Object.entries(document.paths)
		.filter(([path]) => path.startsWith("/api/"))
		.flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, operation]) =>
				[
					`${method.toUpperCase()} ${path}`,
					credentialOf(operation),
					fieldsOf(operation, document),
					limitInWords(operation["x-rate-limit"]) ?? "",
				].join(" | "),
			),
		);
	return [
		"| operation | credential | fields | limit |",
		"|---|---|---|---|",
		...rows.map((row) => `| ${row} |`),
	].join("\n");
}

/** The credentials in the words of the table. */
export type CredentialWord = "none" | "key" | "cookie" | "any";

/** Which credential an operation takes: none, key, cookie, or any of the two. */
export function credentialOf({ security }: DocumentOperation): CredentialWord {
	if (security.some((one) => Object.keys(one).length === 0)) return "none";
	const key = security.some((one) => "bearerKey" in one);
	const cookie = security.some((one) => "sessionCookie" in one);
	if (key) return cookie ? "any" : "key";
	return cookie ? "cookie" : "none";
}

function fieldsOf(
	operation: DocumentOperation,
	{ components }: OpenApiDocument,
): string {
	const parameters = (operation.parameters ?? []).filter(
		(parameter) => parameter.in === "query",
	);
	const isPaged = PAGING.every((name) =>
		parameters.some((parameter) => parameter.name === name),
	);
	const queries = parameters
		.filter(({ name }) => !isPaged || !PAGING.includes(name))
		.map(({ name, required, schema, description }) =>
			field(name, required, { ...schema, ...(description && { description }) }),
		);
	const body = operation.requestBody?.content["application/json"]?.schema;
	const bodies = (body?.anyOf ?? [body ?? {}]).map((one) =>
		resolve(one, components.schemas),
	);
	// The fields of an alternative body are optional beside those of the main one.
	const fields = bodies.flatMap((one, at) =>
		Object.entries(one.properties ?? {}).map(([name, schema]) =>
			field(name, at === 0 && isRequired(one, name), schema),
		),
	);
	return [...queries, ...(isPaged ? ["page?"] : []), ...fields].join("; ");
}

function isRequired({ required }: JsonSchema, name: string): boolean {
	return required?.includes(name) ?? false;
}

function field(name: string, required: boolean, schema: JsonSchema): string {
	return `${name}${required ? "" : "?"} ${boundsOf(schema)}`;
}
