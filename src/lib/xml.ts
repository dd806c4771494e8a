/** The markup of an element. Only {@link element} creates one, so a document contains no unescaped text. */
export interface XmlElement {
	readonly markup: string;
}

/** Characters that XML 1.0 forbids even if escaped (2.2, Char): most controls, lone surrogates, U+FFFE, U+FFFF. */
const FORBIDDEN =
	/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Markup, and characters that a parser would change in attributes or at line ends (2.11, 3.3.3). */
const MARKUP = /[&<>"'\t\n\r]/g;

/** Creates an element of XML 1.0. Values and texts may contain anything; characters that XML forbids are left out. */
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

/** Returns a document, to be sent in UTF-8. */
export function xmlDocument(root: XmlElement): string {
	return `<?xml version="1.0" encoding="utf-8"?>\n${root.markup}\n`;
}

function escapeText(text: string): string {
	return text
		.replace(FORBIDDEN, "")
		.replace(MARKUP, (character) => `&#${character.charCodeAt(0)};`);
}
