import { withNearest } from "../lib/nearest-name.ts";
import { UsageError } from "../lib/start-error.ts";
import { readCatalogue } from "./read-catalogue.ts" with { type: "macro" };

/** Whether an operation uses a key: never, if there is one, or always. */
export type Need = "none" | "may" | "must";

/** A field that an operation takes. */
export interface ClientField {
	readonly name: string;
	readonly place: "path" | "query" | "body";
	readonly kind: "text" | "number" | "list" | "object";
	readonly isRequired: boolean;
	/** Its bounds as text. */
	readonly allowed: string;
	readonly choices: readonly string[];
}

/** What the client knows of an operation. */
export interface ClientOperation {
	readonly id: string;
	readonly method: string;
	readonly path: string;
	readonly summary: string;
	/** Markdown; empty if there is none. */
	readonly description: string;
	readonly need: Need;
	/** What a resort must have to offer it; null if all offer it. */
	readonly only: string | null;
	readonly fields: readonly ClientField[];
	readonly returnsKey: boolean;
	readonly takesKey: boolean;
}

/** All operations of a resort of this version. */
export const catalogue: readonly ClientOperation[] = JSON.parse(
	readCatalogue(),
);

/** Returns the operation of a route such as `GET /api/agents/:id`. */
export function operationAt(route: string): ClientOperation {
	const found = catalogue.find(
		({ method, path }) => `${method} ${path}` === route,
	);
	if (found === undefined) throw new Error(`no operation is at ${route}`);
	return found;
}

/** Returns the operation that a call runs, and the values in its path, which has no query. */
export function operationFor(method: string, path: string) {
	const matching = catalogue.flatMap((operation) => {
		const pattern = operation.path.replace(/:(\w+)/g, "(?<$1>[^/]+)");
		const found = RegExp(`^${pattern}$`).exec(path);
		const isCalled = found !== null && operation.method === method;
		return isCalled ? [{ operation, params: found.groups ?? {} }] : [];
	});
	// `/api/agents/status` also matches the path of an agent.
	const exact = matching.find(({ operation }) => operation.path === path);
	return exact ?? matching[0];
}

/** Returns the operation with an id. @throws UsageError if there is none */
export function operationOf(id: string): ClientOperation {
	const found = catalogue.find((operation) => operation.id === id);
	if (found !== undefined) return found;
	const ids = catalogue.map((operation) => operation.id);
	throw new UsageError(
		`unknown operation ${withNearest(id, ids, JSON.stringify(id))}`,
	);
}
