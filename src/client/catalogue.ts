import { withNearest } from "../lib/nearest-name.ts";
import { UsageError } from "../lib/start-error.ts";
import { readCatalogue } from "./read-catalogue.ts" with { type: "macro" };

/** Whether an operation wants a key: never, when there is one, or always. */
export type Need = "none" | "may" | "must";

/** A field that an operation takes. */
export interface ClientField {
	readonly name: string;
	readonly place: "path" | "query" | "body";
	readonly kind: "text" | "number" | "list" | "object";
	readonly isRequired: boolean;
	/** Its bounds in words. */
	readonly allowed: string;
	/** The words that it is one of; none when it is free. */
	readonly choices: readonly string[];
	/** The largest number; null when it is no number, or has no such bound. */
	readonly most: number | null;
}

/** An operation of the resort as the client knows it. */
export interface ClientOperation {
	readonly id: string;
	readonly method: string;
	/** A template such as `/api/agents/:id`. */
	readonly path: string;
	readonly summary: string;
	/** Markdown; empty when there is none. */
	readonly description: string;
	readonly need: Need;
	/** Which resorts alone have it; null when all have. */
	readonly only: string | null;
	readonly fields: readonly ClientField[];
	/** Whether its answer tells a key. */
	readonly tellsKey: boolean;
	/** Whether its body has a key in it. */
	readonly takesKey: boolean;
}

/** All operations of a resort of this version. */
export const catalogue: readonly ClientOperation[] = JSON.parse(
	readCatalogue(),
);

/**
 * The operation of a method and a path.
 * @param route such as `GET /api/agents/:id`
 */
export function operationAt(route: string): ClientOperation {
	const found = catalogue.find(
		({ method, path }) => `${method} ${path}` === route,
	);
	if (found === undefined) throw new Error(`no operation is at ${route}`);
	return found;
}

/**
 * The operation that a call means.
 * @param path a template with ids or names in braces in it, without a query
 */
export function operationFor(
	method: string,
	path: string,
): ClientOperation | undefined {
	const words = path.split("/");
	const paramsIn = (template: string) => template.split(":").length;
	const [best] = catalogue
		.filter((operation) => {
			const parts = operation.path.split("/");
			return (
				operation.method === method &&
				parts.length === words.length &&
				parts.every((part, at) => part[0] === ":" || part === words[at])
			);
		})
		// `/api/agents/status` is no agent.
		.sort((a, b) => paramsIn(a.path) - paramsIn(b.path));
	return best;
}

/**
 * The operation of an id.
 * @throws Failure with exit code 2 when there is none
 */
export function operationOf(id: string): ClientOperation {
	const found = catalogue.find((operation) => operation.id === id);
	if (found !== undefined) return found;
	const ids = catalogue.map((operation) => operation.id);
	throw new UsageError(
		`unknown operation ${withNearest(id, ids, JSON.stringify(id))}`,
	);
}
