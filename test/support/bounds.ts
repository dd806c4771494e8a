/** A character that is one code point and two UTF-16 units. */
export const WIDE = "🌴";

/** Strings at min-1, min, max and max+1 code points, in narrow and wide characters. */
export function textBounds(
	minLength: number,
	maxLength: number,
): { value: string; fits: boolean }[] {
	const lengths = [minLength - 1, minLength, maxLength, maxLength + 1];
	return lengths
		.filter((length) => length >= 0)
		.flatMap((length) =>
			["a", WIDE].map((character) => ({
				value: character.repeat(length),
				fits: length >= minLength && length <= maxLength,
			})),
		);
}
