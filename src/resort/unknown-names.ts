import { nearestName } from "../lib/nearest-name.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Operation, SentQuery } from "./operation.ts";
import { ignoredFields } from "./validation.ts";

/**
 * Refuses unknown parameters and fields.
 * @param body before its validation
 * @throws ResortError `invalid` with the first unknown name, and the nearest known name or all of them
 */
export function requireKnownNames(
	operation: Pick<Operation, "query" | "body">,
	query: SentQuery,
	body: object,
): void {
	requireKnown("parameter", operation.query, query);
	requireKnown("field", operation.body, body);
}

function requireKnown(
	kind: "parameter" | "field",
	schema: Operation["body"],
	given: object,
): void {
	const [name] = ignoredFields([schema], given);
	if (name === undefined) return;
	const known = Object.keys(schema?.properties ?? {});
	const nearest = nearestName(name, known);
	throw new ResortError("invalid", `There is no ${kind} ${name}`, {
		field: name,
		hint:
			nearest !== undefined
				? `The nearest is ${nearest}.`
				: known.length > 0
					? `There are ${known.join(", ")}.`
					: `This call takes no ${kind}s.`,
	});
}
