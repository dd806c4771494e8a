/** Control characters, and those that turn the direction of writing or are not seen. */
const UNSEEN =
	/[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+/gu;

/** More marks than this on one letter are an attack on the lines around it. */
const MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * A text as one line that is safe where no markup can keep it apart, such as a title: without what turns the direction
 * of writing or is not seen, and not longer than so many code points.
 */
export function plainLine(text: string, most: number): string {
	const line = text
		.replace(/\s+/g, " ")
		.replace(UNSEEN, "")
		.replace(MANY_MARKS, "$1")
		.trim();
	const points = [...line];
	return points.length <= most
		? line
		: `${points.slice(0, most - 1).join("")}…`;
}
