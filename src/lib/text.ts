/** Returns the number of Unicode code points in a string, as JSON Schema counts its length (RFC 8259). */
export function codePoints(text: string): number {
	let count = 0;
	for (let at = 0; at < text.length; at++) {
		// Skips the second half of a surrogate pair.
		const unit = text.charCodeAt(at);
		if (unit < 0xdc00 || unit > 0xdfff) count++;
	}
	return count;
}

/** Whether a string can be stored unchanged, that is, contains neither NUL nor a lone surrogate. */
export function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

/**
 * The UTF-16 units with which a match of {@link INVISIBLE} can begin. Searching for them is faster than the regular
 * expression.
 */
const SUSPECTS = [
	..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\udb40",
];

/**
 * Matches bidirectional controls, tags, and variation selectors 17 to 256. The group matches sequences that are kept:
 * the flags of England, Scotland and Wales, and ideographs with a variation selector (UTS #37, UTS #51).
 */
const INVISIBLE =
	/(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Ideographic}[\u{e0100}-\u{e01ef}])|[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** Removes invisible characters, which could hide or reorder text. Works on plain text, markup and JSON. */
export function withoutInvisible(text: string): string {
	return SUSPECTS.some((character) => text.includes(character))
		? text.replace(INVISIBLE, "$1")
		: text;
}

/**
 * Whether a text consists only of invisible characters: blanks, fillers, and default-ignorable characters of Unicode.
 */
export function isBlank(text: string): boolean {
	return /^[\s\u2800\p{Default_Ignorable_Code_Point}]+$/u.test(text);
}

/** Whether a string is a URL that starts with `https://` and has a host. */
export function isHttpsUrl(text: string): boolean {
	// The pattern excludes "https:example.com" and "https:\\example.com", which URL.canParse accepts.
	return /^https:\/\/[^/\\]/.test(text) && URL.canParse(text);
}

/**
 * Copies a Latin-1 string. If a slice of a URL or header field were stored without a copy, the whole string would stay
 * in memory.
 */
export function copyOf(text: string): string {
	return Buffer.from(text, "latin1").toString("latin1");
}

/**
 * Parses a decimal integer from `least` to `most`.
 * @returns undefined for other texts
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

/** Matches control characters, and characters that are invisible or change the writing direction. */
const UNSEEN =
	/[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+/gu;

/** Matches more than four combining marks on one letter. They would cover the adjacent lines. */
const MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Converts a text to one line for places without markup, such as a title. Removes invisible characters and changes of
 * the writing direction, and truncates the text to a number of code points.
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
