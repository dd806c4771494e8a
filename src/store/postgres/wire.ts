import type { EngineRow, Value } from "../store.ts";

/**
 * Texts alone, so that the server takes each as the type that its place asks for: with types of their own, each mix of
 * small and large numbers would be prepared anew. Anything else would fail inside the client, which does not end the
 * transaction.
 */
export function encode(
	value: Value | readonly Value[],
): string | Uint8Array | string[] | null {
	if (value === null || value instanceof Uint8Array) return value;
	if (Array.isArray(value)) return value.map((each) => String(encode(each)));
	if (typeof value === "string") {
		// PostgreSQL has no NUL in texts. None is ever stored, so that no text with one is found.
		return value.replaceAll("\0", "\uFFFD");
	}
	if (typeof value === "number" && !Number.isFinite(value)) {
		throw new TypeError("a number that is not finite");
	}
	return String(value);
}

/** Gives a row the numbers that the port promises: the server's bigints are times and counts, which are exact. */
export function toNumbers(row: EngineRow): void {
	for (const name in row) {
		const value = row[name];
		if (typeof value === "bigint") row[name] = Number(value);
	}
}

const templates = new Map<string, TemplateStringsArray>();

/** A text as a tagged template has it; the client knows it again by its identity. */
export function templateOf(text: string): TemplateStringsArray {
	let template = templates.get(text);
	if (template === undefined) {
		const strings = [text] as string[] & { raw: string[] };
		Object.defineProperty(strings, "raw", { value: [text] });
		template = Object.freeze(strings) as TemplateStringsArray;
		templates.set(text, template);
	}
	return template;
}
