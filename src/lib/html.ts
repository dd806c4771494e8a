/** A piece of HTML. Only {@link html} and {@link trusted} create one, so a page contains no unescaped text. */
export class Html {
	constructor(readonly markup: string) {}
}

/** A value in a template: strings are escaped, lists are joined, null and false are left out. */
export type Part = string | number | Html | null | false | readonly Part[];

/**
 * Tags a template as HTML. Values are escaped unless they are {@link Html}. They may be between tags and in attributes
 * with double quotation marks, but not in `<script>` and `<style>`.
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

/** Marks markup as HTML without escaping it. It must come from this program, such as its style sheet. */
export function trusted(markup: string): Html {
	return new Html(markup);
}

function markupOf(part: Part): string {
	if (part === null || part === false) return "";
	if (part instanceof Html) return part.markup;
	if (typeof part === "object") return part.map(markupOf).join("");
	return typeof part === "number" ? String(part) : Bun.escapeHTML(part);
}
