/** Returns the length of a string in Unicode code points, as JSON Schema counts it (RFC 8259). */
export function codePoints(text: string): number {
	let count = 0;
	for (let at = 0; at < text.length; at++) {
		// The second half of a surrogate pair.
		const unit = text.charCodeAt(at);
		if (unit < 0xdc00 || unit > 0xdfff) count++;
	}
	return count;
}

/** Returns whether a string can be stored unchanged: it contains no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

/** Returns whether a string is a URL with a host that starts with `https://`. */
export function isHttpsUrl(text: string): boolean {
	// URL.canParse also accepts "https:example.com" and "https:\\example.com".
	return /^https:\/\/[^/\\]/.test(text) && URL.canParse(text);
}

/** Copies a Latin-1 string. A stored part of a URL or header would otherwise keep the whole of it in memory. */
export function copyOf(text: string): string {
	return Buffer.from(text, "latin1").toString("latin1");
}

/**
 * Parses an integer from `least` to `most` in decimal digits.
 * @returns undefined if the text is not such a number
 */
export function wholeNumber(
	text: string,
	most: number,
	least = 0,
): number | undefined {
	if (!/^\d{1,10}$/.test(text)) return undefined;
	const number = Number(text);
	return number >= least && number <= most ? number : undefined;
}

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
