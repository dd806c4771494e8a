import { closest, distance } from "fastest-levenshtein";

/**
 * The maximum edit distance between similar names. For short names, the maximum is a third of the length, rounded up.
 */
const MAX_DISTANCE = 4;

/** Returns the most similar known name; undefined if none is similar. */
export function nearestName(
	name: string,
	known: readonly string[],
): string | undefined {
	const most = Math.min(MAX_DISTANCE, Math.ceil(name.length / 3));
	// Names of very different length are skipped, because computing the distance of long texts is slow.
	const similar = known.filter(
		(one) => Math.abs(one.length - name.length) <= most,
	);
	const nearest = closest(name, similar);
	return similar.length > 0 && distance(name, nearest) <= most
		? nearest
		: undefined;
}

/**
 * Returns a name with the most similar known name: `--prot (--port?)`.
 * @param shown what the result contains instead of `name`
 */
export function withNearest(
	name: string,
	known: readonly string[],
	shown = name,
): string {
	const nearest = nearestName(name, known);
	return nearest === undefined ? shown : `${shown} (${nearest}?)`;
}
