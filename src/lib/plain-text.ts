/** Control characters, and those that are invisible or change the writing direction. */
const UNSEEN =
	/[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+/gu;

/** More combining marks on one letter would cover the lines around it. */
const MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Returns a text as one line for places without markup, such as a title: without invisible characters and changes of the
 * writing direction, and truncated to a number of code points.
 */
export function plainLine(text: string, maxPoints: number): string {
	const line = text
		.replace(/\s+/g, " ")
		.replace(UNSEEN, "")
		.replace(MANY_MARKS, "$1")
		.trim();
	const points = [...line];
	return points.length <= maxPoints
		? line
		: `${points.slice(0, maxPoints - 1).join("")}…`;
}
