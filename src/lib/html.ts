/** A piece of HTML. Only {@link html} and {@link trusted} make one, so that no text gets into a page unescaped. */
export class Html {
	constructor(readonly markup: string) {}
}

/** What may stand in a template: texts are escaped, lists are joined, null and false are nothing. */
export type Part = string | number | Html | null | false | readonly Part[];

/**
 * Writes HTML (a tagged template). Everything that is put in is escaped, unless it is HTML already, so that it may
 * stand between tags and in attributes with double quotation marks, but not in `<script>` and `<style>`.
 */
export function html(
	strings: TemplateStringsArray,
	...parts: readonly Part[]
): Html {
	let markup = strings[0] ?? "";
	for (let at = 0; at < parts.length; at++) {
		markup += markupOf(parts[at] ?? null) + strings[at + 1];
	}
	return new Html(markup);
}

/** HTML that this program itself holds, such as its own style sheet; never what came from outside. */
export function trusted(markup: string): Html {
	return new Html(markup);
}

function markupOf(part: Part): string {
	if (part === null || part === false) return "";
	if (part instanceof Html) return part.markup;
	if (typeof part === "object") return part.map(markupOf).join("");
	return typeof part === "number" ? String(part) : Bun.escapeHTML(part);
}
