/**
 * Escaped HTML or XML. Only templates and {@link trusted} create objects of this class, so that no page
 * contains unescaped text.
 */
export class Html {
	constructor(readonly markup: string) {}
}

/** A value in a template. Strings are escaped, lists are joined, null and false are omitted. */
export type Part = string | number | Html | null | false | readonly Part[];

type Template = (strings: TemplateStringsArray, ...parts: readonly Part[]) => Html;

/**
 * A template tag for HTML. Escapes values unless they are {@link Html}. Values are allowed between elements
 * and in attributes with double quotation marks, but not in `<script>` and `<style>`.
 */
export const html = templateOf(Bun.escapeHTML);

/**
 * The characters that XML 1.0 forbids even in escaped form (section 2.2): most control characters, lone
 * surrogates, U+FFFE and U+FFFF.
 */
const FORBIDDEN_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The characters that an XML parser normalizes in attributes or at line ends (sections 2.11 and 3.3.3). */
const CHANGED_IN_XML = /[\t\n\r]/g;

/**
 * A template tag for XML 1.0. Escapes values as {@link html} does, writes their tabs and line breaks as
 * character references, and removes the characters that XML forbids.
 */
export const xml = templateOf((text) =>
	Bun.escapeHTML(text.replace(FORBIDDEN_IN_XML, "")).replace(
		CHANGED_IN_XML,
		(character) => `&#${character.charCodeAt(0)};`,
	),
);

/** Marks a text of this program, such as its style sheet, as HTML without escaping it. */
export function trusted(markup: string): Html {
	return new Html(markup);
}

function templateOf(escapeText: (text: string) => string): Template {
	const markupOf = (part: Part): string => {
		if (typeof part === "string") return escapeText(part);
		if (typeof part === "number") return String(part);
		if (part === null || part === false) return "";
		return part instanceof Html ? part.markup : part.map(markupOf).join("");
	};
	return (strings, ...parts) => {
		let markup = strings[0] ?? "";
		for (let at = 0; at < parts.length; at++) {
			markup = `${markup}${markupOf(parts[at] ?? null)}${strings[at + 1]}`;
		}
		return new Html(markup);
	};
}
