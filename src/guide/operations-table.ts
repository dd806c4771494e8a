import { limits } from "../resort/limits.ts";
import type { Operation } from "../resort/operation.ts";
import { limitText } from "./openapi.ts";
import { boundsOf, fieldsOf, toDocumentSchema } from "./operation-schema.ts";

/** Shown together as `page?`, which the guide explains once. */
const PAGING: readonly string[] = ["limit", "offset"];

/** Writes the operations under /api as a Markdown table: credential, fields with their bounds, and rate limit. */
export function operationsTable(operations: readonly Operation[]): string {
	const rows = operations
		.filter(({ path }) => path.startsWith("/api/"))
		.map((operation) => {
			const { method, path, limit } = operation;
			const cells = [
				`${method} ${path.replace(/:(\w+)/g, "{$1}")}`,
				credentialOf(operation),
				fieldsText(operation),
				limit === undefined ? "" : limitText(limits[limit]),
			];
			return `| ${cells.join(" | ")} |`;
		});
	return [
		"| operation | credential | fields | limit |",
		"|---|---|---|---|",
		...rows,
	].join("\n");
}

function credentialOf({ credential, own }: Operation): string {
	if (own !== undefined) return "none";
	return credential === "session" ? "cookie" : credential;
}

function fieldsText(operation: Operation): string {
	const fields = fieldsOf(operation);
	const isPaged = PAGING.every((name) =>
		fields.some((field) => field.in === "query" && field.name === name),
	);
	const texts = fields
		.filter(
			({ name, in: place }) =>
				place !== "path" && !(isPaged && PAGING.includes(name)),
		)
		.map(({ name, isRequired, schema }) => {
			const bounds = boundsOf(toDocumentSchema(schema));
			return `${name}${isRequired ? "" : "?"} ${bounds}`;
		});
	return [...texts, ...(isPaged ? ["page?"] : [])].join("; ");
}
