/** The points from which on a stay leaves a guest properly rested. */
const RESTED = 18;

/** How refreshed a stay leaves a guest: the words for at least so many relaxation points, rising. */
const tiers: readonly (readonly [points: number, words: string])[] = [
	[0, "barely unpacked"],
	[1, "slightly loosened"],
	[8, "pleasantly unwound"],
	[RESTED, "properly rested"],
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

/**
 * The points that a stay still lacks to leave its guest properly rested, 0 from there on.
 * @param points of the stay so far, 0 or more
 */
export function toRested(points: number): number {
	return Math.max(0, RESTED - points);
}
