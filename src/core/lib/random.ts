/** A random generator, which tests can replace. */
export interface Random {
	/** Returns random bytes for secrets. The bytes of {@link systemRandom} are unpredictable. */
	bytes(length: number): Uint8Array;
	/** Returns an integer from 0 to `bound` - 1 with equal probability. `bound` must be at least 1. */
	below(bound: number): number;
	/** Returns a UUID of version 7 (RFC 9562) for a time. The UUIDs of later times sort later. */
	uuid(timeMs: number): string;
}

/** The random generator of the system. */
export const systemRandom: Random = {
	bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
	below: (bound) => Math.floor(Math.random() * bound),
	uuid: (timeMs) => Bun.randomUUIDv7("hex", timeMs),
};

/** Returns a random item of a list, with equal probability. @throws RangeError if the list is empty */
export function pickOne<T>(random: Random, items: readonly T[]): T {
	const item = items[random.below(items.length)];
	if (item === undefined) throw new RangeError("The list is empty");
	return item;
}

/** Returns `count` different items of a list in random order. The list must have at least `count` items. */
export function pickSome<T>(random: Random, items: readonly T[], count: number): T[] {
	const rest = [...items];
	return Array.from({ length: count }).flatMap(() => rest.splice(random.below(rest.length), 1));
}
