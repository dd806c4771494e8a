/**
 * Levenshtein's distance of two texts, row by row.
 * @param most larger distances need not be exact
 * @returns `most` + 1 at once when the lengths alone differ by more than `most`
 */
export function editDistance(a: string, b: string, most: number): number {
	if (Math.abs(a.length - b.length) > most) return most + 1;
	let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const substituted =
				(previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
			current.push(
				Math.min(
					substituted,
					(previous[column] ?? 0) + 1,
					(current[column - 1] ?? 0) + 1,
				),
			);
		}
		previous = current;
	}
	return previous[b.length] ?? 0;
}

/** Names that differ in more letters, or in more than a third of them, are not near. */
const MOST_OF_NAMES = 4;

/** The known name that is nearest to a given one; undefined when none is near. */
export function nearestName(
	name: string,
	known: readonly string[],
): string | undefined {
	const most = Math.min(MOST_OF_NAMES, Math.ceil(name.length / 3));
	const [best] = known
		.map((other) => ({ other, far: editDistance(name, other, most) }))
		.filter(({ far }) => far <= most)
		.sort((a, b) => a.far - b.far);
	return best?.other;
}

/**
 * A name as it was given, followed by the nearest known one: `--prot (--port?)`.
 * @param shown what is shown of the given name; all of it by default
 */
export function withNearest(
	name: string,
	known: readonly string[],
	shown = name,
): string {
	const nearest = nearestName(name, known);
	return nearest === undefined ? shown : `${shown} (${nearest}?)`;
}
