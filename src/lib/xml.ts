/** An element as it is written. Only {@link element} makes one, so that no text gets into a document unescaped. */
export interface XmlElement {
	readonly markup: string;
}

/** What XML 1.0 allows nowhere, not even escaped (2.2, Char): most control characters, lone surrogates, U+FFFE, U+FFFF. */
const FORBIDDEN =
	/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** What is markup, or what a parser would change in an attribute or at the end of a line (2.11, 3.3.3). */
const MARKUP = /[&<>"'\t\n\r]/g;

/**
 * Writes an element of XML 1.0.
 * @param attributes their values may be any text
 * @param content elements, and any texts; what XML forbids is left out of them
 */
export function element(
	name: string,
	attributes: Readonly<Record<string, string>>,
	...content: readonly (string | XmlElement)[]
): XmlElement {
	const tag = [
		name,
		...Object.entries(attributes).map(
			([attribute, value]) => `${attribute}="${escapeText(value)}"`,
		),
	].join(" ");
	const inner = content.map((part) =>
		typeof part === "string" ? escapeText(part) : part.markup,
	);
	return { markup: `<${tag}>${inner.join("")}</${name}>` };
}

/** A whole document, to be sent as UTF-8. */
export function xmlDocument(root: XmlElement): string {
	return `<?xml version="1.0" encoding="utf-8"?>\n${root.markup}\n`;
}

function escapeText(text: string): string {
	return text
		.replace(FORBIDDEN, "")
		.replace(MARKUP, (character) => `&#${character.charCodeAt(0)};`);
}
