import type { NextCall } from "../content/next-calls.ts";
import type { Operation } from "../resort/operation.ts";
import { operationAt } from "../resort/operations.ts";

/**
 * Returns the suggested calls in the field `next` of a result. Returns undefined if the result has no `next`,
 * or if `next` is the path of a list's next page.
 */
export function suggestedCalls(body: object): readonly NextCall[] | undefined {
	const { next } = body as { readonly next?: readonly NextCall[] | string };
	return typeof next === "string" ? undefined : next;
}

/**
 * Converts a suggested call to an HTTP call: a method, a path with its query and without placeholders, and a
 * body if there are further parameters.
 * @throws Error if there is no such operation
 */
export function toHttpCall({ operation: route, parameters, why }: NextCall) {
	const operation = operationAt(route);
	const { method } = operation;
	const { path, query, body } = placed(operation, parameters);
	const search = new URLSearchParams(query);
	return {
		method,
		path: search.size === 0 ? path : `${path}?${search}`,
		...(Object.keys(body).length > 0 && { body }),
		why,
	};
}

/** Puts parameters into the path, the query and the body of an operation. */
function placed({ path: template, query: schema }: Operation, parameters: NextCall["parameters"]) {
	const query: Record<string, string> = {};
	const body: Record<string, string> = {};
	let path = template;
	for (const [name, value] of Object.entries(parameters)) {
		const filled = path.replace(`:${name}`, () => encodeURIComponent(value));
		if (filled !== path) path = filled;
		else if (name in (schema?.properties ?? {})) query[name] = value;
		else body[name] = value;
	}
	return { path, query, body };
}
