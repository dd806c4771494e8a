/** The length of a string in Unicode code points, as JSON Schema counts it (RFC 8259). */
export function codePoints(text: string): number {
	let count = 0;
	for (let at = 0; at < text.length; at++) {
		// The second half of a surrogate pair belongs to the code point before it.
		const unit = text.charCodeAt(at);
		if (unit < 0xdc00 || unit > 0xdfff) count++;
	}
	return count;
}

/** Whether a string can be stored and given back unchanged: no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

/** Whether a string begins with `https://` and is a URL with a host. */
export function isHttpsUrl(text: string): boolean {
	// A browser's parser would also take "https:example.com" and "https:\\example.com".
	return /^https:\/\/[^/\\]/.test(text) && URL.canParse(text);
}

/** The string, or null when there is none or nothing in it. */
export function textOrNull(text: string | null | undefined): string | null {
	return text || null;
}

/**
 * A copy of a Latin-1 string. Without it, whoever remembers a part of a URL or of a header field would keep all of
 * it in memory.
 */
export function copyOf(text: string): string {
	return Buffer.from(text, "latin1").toString("latin1");
}

/**
 * A whole number from `least` to `most` in plain decimal digits.
 * @returns undefined when the text is no such number
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
