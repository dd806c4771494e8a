import { withNearest } from "../core/lib/nearest-name.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { readCatalogue } from "./read-catalogue.ts" with { type: "macro" };

/** Whether an operation uses a key: `none` if never, `may` if a key is configured, `must` if always. */
export type Need = "none" | "may" | "must";

/** A parameter of an operation, or a field of the operation's request body. */
export interface ClientField {
	readonly name: string;
	readonly place: "path" | "query" | "body";
	readonly kind: "text" | "number" | "list" | "object";
	readonly isRequired: boolean;
	/** A description of the allowed values, for the help text. */
	readonly allowed: string;
	readonly choices: readonly string[];
}

/** The client's description of an operation. */
export interface ClientOperation {
	readonly id: string;
	readonly method: string;
	readonly path: string;
	readonly summary: string;
	/** Markdown; empty if the operation has no description. */
	readonly description: string;
	readonly need: Need;
	readonly fields: readonly ClientField[];
	readonly returnsKey: boolean;
	readonly takesKey: boolean;
}

/** All operations of the API version for which the client was built. */
export const catalogue: readonly ClientOperation[] = JSON.parse(readCatalogue());

/** Returns the operation with a route such as `GET /api/agents/:id`. */
export function operationAt(route: string): ClientOperation {
	const found = catalogue.find(({ method, path }) => `${method} ${path}` === route);
	if (found === undefined) throw new Error(`there is no operation at ${route}`);
	return found;
}

/** Returns the operation for a call, and the parameters in its path; undefined for an unknown call. */
export function operationFor(method: string, path: string) {
	const matching = catalogue.flatMap((operation) => {
		const pattern = operation.path.replace(/:(\w+)/g, "(?<$1>[^/]+)");
		const found = operation.method === method ? RegExp(`^${pattern}$`).exec(path) : null;
		return found === null ? [] : [{ operation, params: found.groups ?? {} }];
	});
	// Prefers an exact path, because `/api/agents/status` also matches `/api/agents/:id`.
	return matching.find(({ operation }) => operation.path === path) ?? matching[0];
}

/** Returns the operation with an id. @throws UsageError if there is none */
export function operationOf(id: string): ClientOperation {
	const found = catalogue.find((operation) => operation.id === id);
	if (found !== undefined) return found;
	const ids = catalogue.map((operation) => operation.id);
	throw new UsageError(`unknown operation ${withNearest(id, ids, JSON.stringify(id))}`);
}
