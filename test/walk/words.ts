const units = [
	["day", 24 * 60],
	["hour", 60],
	["minute", 1],
] as const;

/** A moment as the contract writes it. */
export function iso(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** The same, and null for none. */
export function isoOrNull(timeMs: number | null): string | null {
	return timeMs === null ? null : iso(timeMs);
}

/** A duration in its largest two units: `2 hours 5 minutes`. */
export function duration(durationMs: number): string {
	let minutes = Math.floor(durationMs / 60_000);
	const counted = units.map(([unit, size]) => {
		const count = Math.floor(minutes / size);
		minutes %= size;
		return { count, words: `${count} ${unit}${count === 1 ? "" : "s"}` };
	});
	const largest = counted.findIndex(({ count }) => count > 0);
	if (largest === -1) return "less than a minute";
	return counted
		.slice(largest, largest + 2)
		.filter(({ count }) => count > 0)
		.map(({ words }) => words)
		.join(" ");
}

/** The words for how refreshed a guest is, as far as they have been seen: they rise with the points. */
export class Refreshments {
	readonly #seen = new Map<string, { least: number; most: number }>();

	/** Notes what so many points were called; false when that does not fit to what was said before. */
	fits(points: number, words: string): boolean {
		const { least, most } = this.#seen.get(words) ?? {
			least: points,
			most: points,
		};
		const range = {
			least: Math.min(least, points),
			most: Math.max(most, points),
		};
		this.#seen.set(words, range);
		return [...this.#seen].every(
			([other, { least, most }]) =>
				other === words || most < range.least || least > range.most,
		);
	}
}
