/** Returns the length of a string in Unicode code points, as JSON Schema counts it (RFC 8259). */
export function codePoints(text: string): number {
	let count = 0;
	for (let at = 0; at < text.length; at++) {
		// The second half of a surrogate pair is not counted.
		const unit = text.charCodeAt(at);
		if (unit < 0xdc00 || unit > 0xdfff) count++;
	}
	return count;
}

/** Returns whether a string can be stored unchanged: it contains no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

/** The UTF-16 units with which a match of {@link INVISIBLE} can begin. To search for each is faster than the pattern. */
const SUSPECTS = [
	..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\udb40",
];

/**
 * Matches bidirectional controls, tags, and variation selectors 17 to 256. Its group matches sequences that are kept:
 * the flags of England, Scotland and Wales, and an ideograph with its variation (UTS #37, UTS #51).
 */
const INVISIBLE =
	/(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Ideographic}[\u{e0100}-\u{e01ef}])|[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** Removes characters that could hide a message or reorder others, from a text or from markup or JSON with texts. */
export function withoutInvisible(text: string): string {
	return SUSPECTS.some((character) => text.includes(character))
		? text.replace(INVISIBLE, "$1")
		: text;
}

/** Returns whether a text consists of invisible characters: blanks, fillers, and those that Unicode ignores. */
export function isBlank(text: string): boolean {
	return /^[\s\u2800\p{Default_Ignorable_Code_Point}]+$/u.test(text);
}

/** Returns whether a string is a URL with a host that starts with `https://`. */
export function isHttpsUrl(text: string): boolean {
	// URL.canParse also accepts "https:example.com" and "https:\\example.com".
	return /^https:\/\/[^/\\]/.test(text) && URL.canParse(text);
}

/** Copies a Latin-1 string. To store a part of a URL or header without a copy would keep the whole in memory. */
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

/** Matches more than four combining marks on one letter, which would cover the lines around it. */
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
