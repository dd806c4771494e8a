import { editDistance } from "../lib/edit-distance.ts";
import { ResortError } from "../lib/resort-error.ts";

/** Ids that differ in more letters are not near. */
const MOST_LETTERS = 100;

/**
 * Makes sure that a text is the id of an operation.
 * @param ids of all that may be meant
 * @throws ResortError `invalid` that names the nearest
 */
export function requireOperation(ids: readonly string[], text: string): void {
	if (ids.includes(text)) return;
	const given = text.toLowerCase();
	const [nearest] = ids
		.map((id) => ({
			id,
			far: editDistance(given, id.toLowerCase(), MOST_LETTERS),
		}))
		.sort((a, b) => a.far - b.far);
	throw new ResortError("invalid", "operation is not an operation's id", {
		field: "operation",
		...(nearest && {
			hint: `The nearest is ${nearest.id}; /openapi.json lists them as operationId. Those under /test are left out.`,
		}),
	});
}
