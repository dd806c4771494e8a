import { closest, distance } from "fastest-levenshtein";

/** The maximum edit distance between similar names, unless a third of the length (rounded up) is less. */
const MAX_DISTANCE = 4;

/** Returns the most similar known name; undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
	const most = Math.min(MAX_DISTANCE, Math.ceil(name.length / 3));
	// Names of very different length are skipped, because computing the distance of long texts is slow.
	const similar = known.filter((one) => Math.abs(one.length - name.length) <= most);
	const nearest = closest(name, similar);
	return similar.length > 0 && distance(name, nearest) <= most ? nearest : undefined;
}

/**
 * The minimum length of a known name in which typos are recognized. Shorter names are too similar to other
 * words: `mode` is not a typo of `mood`.
 */
const MIN_MISSPELT = 5;

/** The maximum edit distance between a misspelt name and the known name. */
const MAX_TYPOS = 2;

/**
 * Returns the known name that `name` almost certainly misspells. The two may differ in case, `_` and `-`. If
 * the known name has at least 5 letters, `name` may also have up to two typos.
 * @param known names in camel case
 */
export function misspeltName(name: string, known: readonly string[]): string | undefined {
	const folded = name.replace(/[_-]/g, "").toLowerCase();
	// A request may have thousands of names. To save time, known names of a very different length are skipped.
	const [nearest] = known
		.filter((one) => Math.abs(one.length - folded.length) <= MAX_TYPOS)
		.map((one) => ({ one, typos: distance(folded, one.toLowerCase()) }))
		.filter(({ one, typos }) => (one.length < MIN_MISSPELT ? typos === 0 : typos <= MAX_TYPOS))
		.toSorted((a, b) => a.typos - b.typos);
	return nearest?.one;
}

/** Returns `shown`, followed by the known name that is most similar to `name`, if any: `--prot (--port?)`. */
export function withNearest(name: string, known: readonly string[], shown = name): string {
	const nearest = nearestName(name, known);
	return nearest === undefined ? shown : `${shown} (${nearest}?)`;
}
