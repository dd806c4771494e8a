/** The source of everything random; an argument, so that tests can choose it. */
export interface Random {
	/** Bytes for secrets: as unpredictable as the source is. */
	bytes(length: number): Uint8Array;
	/** A whole number from 0 to `bound` - 1, all equally likely; `bound` is 1 or more. */
	below(bound: number): number;
	/** A UUID of version 7 (RFC 9562) for a moment in milliseconds since the epoch; later ones sort later. */
	uuid(timeMs: number): string;
}

/** The system's own source of randomness. */
export const systemRandom: Random = {
	bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
	below: (bound) => Math.floor(Math.random() * bound),
	uuid: (timeMs) => Bun.randomUUIDv7("hex", timeMs),
};

/**
 * One item of a list, all equally likely.
 * @throws RangeError when the list is empty
 */
export function pickOne<T>(random: Random, items: readonly T[]): T {
	const item = items[random.below(items.length)];
	if (item === undefined) throw new RangeError("nothing to pick from");
	return item;
}

/**
 * Different items of a list, in random order.
 * @param count how many; at most the length of the list
 */
export function pickSome<T>(
	random: Random,
	items: readonly T[],
	count: number,
): T[] {
	const rest = [...items];
	return Array.from({ length: count }).flatMap(() =>
		rest.splice(random.below(rest.length), 1),
	);
}
