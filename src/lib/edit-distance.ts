/**
 * Levenshtein's distance of two texts, row by row.
 * @param most what is farther is not worth counting
 * @returns more than `most` for texts whose lengths differ by more
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
