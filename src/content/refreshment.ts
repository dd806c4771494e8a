/** How refreshed a stay leaves a guest: the words for at least so many relaxation points, rising. */
const tiers: readonly (readonly [points: number, words: string])[] = [
	[0, "barely unpacked"],
	[1, "slightly loosened"],
	[8, "pleasantly unwound"],
	[18, "properly rested"],
	[32, "thoroughly refreshed"],
	[50, "radiantly restored"],
	[80, "one with the hammock"],
];

/**
 * How refreshed so many relaxation points leave a guest.
 * @param points of the whole stay, 0 or more
 */
export function refreshedStatus(points: number): string {
	return tiers.findLast(([least]) => points >= least)?.[1] ?? "";
}
