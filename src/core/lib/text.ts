/** Returns the number of Unicode code points in a string, which is its length in JSON Schema (RFC 8259). */
export function codePoints(text: string): number {
	return [...text].length;
}

/** Whether a string can be stored unchanged, that is, contains neither NUL nor a lone surrogate. */
export function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

/** Matches control characters (C0, C1, DEL) except tab, line feed, and CR before a line feed. */
const CONTROL = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)`;
const CONTROLS = new RegExp(CONTROL);

/** Whether a text contains a control character. Tabs and line breaks (LF, CR LF) do not count. */
export function hasControl(text: string): boolean {
	return CONTROLS.test(text);
}

/**
 * A fast check (0.1 us) before the search for {@link INVISIBLE}, because most texts have no match. Matches
 * control characters, and the first UTF-16 unit of every other character that is removed.
 */
const SUSPECT = new RegExp(`${CONTROL}|[\u202a-\u202e\u2066-\u2069\udb40]`);

/**
 * Matches what is removed: control characters, bidirectional controls, tags, and variation selectors 17 to
 * 256. Its group matches sequences that are kept: the flags of England, Scotland and Wales, and ideographs
 * with a variation selector (UTS #37, UTS #51).
 */
const INVISIBLE = new RegExp(
	String.raw`(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Ideographic}[\u{e0100}-\u{e01ef}])|[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|${CONTROL}`,
	"gu",
);

/**
 * Removes invisible characters, which could hide or reorder text, and control characters, which could control
 * a terminal. For JSON, use {@link toVisibleJson}.
 */
export function withoutInvisible(text: string): string {
	return SUSPECT.test(text) ? text.replace(INVISIBLE, "$1") : text;
}

/**
 * Matches the escapes of control characters in JSON, except tabs and line breaks. Group 1 matches an escaped
 * backslash, so that `\\b` does not count as `\b`; the replacement keeps it.
 */
const ESCAPED_CONTROL = /(\\\\)|\\(?:[bf]|r(?!\\n)|u00[01][0-9a-f])/g;

/**
 * Converts a value to JSON, and removes invisible and control characters from its strings. One search in the
 * whole JSON is faster than a search in each string.
 */
export function toVisibleJson(value: unknown): string {
	return withoutInvisibleEscapes(JSON.stringify(value));
}

/** Removes invisible and control characters from the strings in a JSON text. */
export function withoutInvisibleEscapes(json: string): string {
	return withoutInvisible(json.includes("\\") ? json.replace(ESCAPED_CONTROL, "$1") : json);
}

/** Whether a text has no visible character: only white space, U+2800, and default-ignorable characters. */
export function isBlank(text: string): boolean {
	return /^[\s\u2800\p{Default_Ignorable_Code_Point}]+$/u.test(text);
}

/** Whether a string is a URL that starts with `https://` and has a host. */
export function isHttpsUrl(text: string): boolean {
	// The pattern excludes "https:example.com" and "https:\\example.com", which URL.canParse accepts.
	return /^https:\/\/[^/\\]/.test(text) && URL.canParse(text);
}

/** Parses an `http:` or `https:` URL that has no credentials, query or fragment. Removes trailing slashes. */
export function baseAddress(text: string): string | undefined {
	// URL.parse does not exist in early versions of Node 20, on which the client runs.
	const url = URL.canParse(text) ? new URL(text) : null;
	if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
	if (url.search || url.hash || url.username || url.password) return undefined;
	return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Copies a Latin-1 string, because a stored slice of a URL or header would keep all of it in memory. */
export function copyOf(text: string): string {
	return Buffer.from(text, "latin1").toString("latin1");
}

/** Quotes a text for a POSIX shell. */
export function quoteForShell(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Parses a decimal integer from `least` to `most`. Returns undefined for other texts. */
export function wholeNumber(text: string, most: number, least = 0): number | undefined {
	if (!/^\d{1,10}$/.test(text)) return undefined;
	const number = Number(text);
	return number >= least && number <= most ? number : undefined;
}

/** A regular expression for a UUID (RFC 9562, section 4), without the prefix `urn:uuid:`. */
export const UUID = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

const UUIDS = new RegExp(UUID);

/** Whether a text is a UUID. */
export function isUuid(text: string): boolean {
	return UUIDS.test(text);
}
