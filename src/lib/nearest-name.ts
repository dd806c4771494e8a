import { closest, distance } from "fastest-levenshtein";

/** Names that differ in more letters than this, or in more than a third of their letters, are not near. */
const MAX_DISTANCE = 4;

/** Returns the known name that is nearest to another name; undefined if none is near. */
export function nearestName(
	name: string,
	known: readonly string[],
): string | undefined {
	const most = Math.min(MAX_DISTANCE, Math.ceil(name.length / 3));
	// Names of other lengths are skipped, because the distance of long texts takes long to compute.
	const similar = known.filter(
		(one) => Math.abs(one.length - name.length) <= most,
	);
	const nearest = closest(name, similar);
	return similar.length > 0 && distance(name, nearest) <= most
		? nearest
		: undefined;
}

/**
 * Returns a name, followed by the nearest known one: `--prot (--port?)`.
 * @param shown replaces the name in the result
 */
export function withNearest(
	name: string,
	known: readonly string[],
	shown = name,
): string {
	const nearest = nearestName(name, known);
	return nearest === undefined ? shown : `${shown} (${nearest}?)`;
}
