/** The number of points from which a guest counts as rested. */
const RESTED = 18;

/** The statuses, each with its lowest number of points, in ascending order. */
const tiers: readonly (readonly [points: number, words: string])[] = [
	[0, "barely unpacked"],
	[1, "slightly loosened"],
	[8, "pleasantly unwound"],
	[RESTED, "properly rested"],
	[32, "thoroughly refreshed"],
	[50, "radiantly restored"],
	[80, "one with the hammock"],
];

/** Returns the status for the points of a stay. */
export function refreshedStatus(points: number): string {
	return tiers.findLast(([least]) => points >= least)?.[1] ?? "";
}

/** Returns how many points a guest still needs to be rested. */
export function toRested(points: number): number {
	return Math.max(0, RESTED - points);
}
