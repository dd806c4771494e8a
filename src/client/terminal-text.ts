/** Texts for people. The texts of guests must not control the terminal. */

/** Control characters (C0, C1, DEL) and those that change the text direction. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const INVISIBLE = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Returns a text as one line without control characters. */
export function clean(text: string): string {
	return text
		.replace(INVISIBLE, "")
		.replace(/[\n\r\t]+/g, " ")
		.replace(CONTROLS, "");
}

/** Returns a text without control characters, except line breaks and tabs. */
export function cleanLines(text: string): string {
	return text
		.split(/\r?\n/)
		.map((line) => line.split("\t").map(clean).join("\t"))
		.join("\n");
}

/** Returns JSON without control characters, which `JSON.stringify` does not escape completely. */
export function toJson(value: unknown, indent = 0): string {
	return JSON.stringify(value, null, indent).replace(
		/[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g,
		(character) =>
			`\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

const HIDDEN = ["ok", "next"];

/** Returns an answer as lines for people. */
export function describe(body: Readonly<Record<string, unknown>>): string {
	const shown = Object.entries(body).filter(([name]) => !HIDDEN.includes(name));
	return `${lines(Object.fromEntries(shown)).join("\n")}\n`;
}

function lines(value: object): string[] {
	return Object.entries(value).flatMap(([name, inner]) => {
		if (inner === null || inner === undefined) return [];
		const label = `${wordsOf(name)}:`;
		if (typeof inner !== "object") return [`${label} ${clean(String(inner))}`];
		if (!Array.isArray(inner)) return [label, ...indent(lines(inner))];
		if (inner.length === 0) return [`${label} none`];
		if (inner.every((one) => typeof one !== "object" || one === null)) {
			return [`${label} ${inner.map((one) => clean(String(one))).join(", ")}`];
		}
		return [label, ...inner.flatMap((one) => listed(lines(Object(one))))];
	});
}

function indent(inner: readonly string[]): string[] {
	return inner.map((line) => `  ${line}`);
}

function listed([first = "", ...others]: readonly string[]): string[] {
	return [`  - ${first}`, ...others.map((line) => `    ${line}`)];
}

/** `relaxationPoints` as `relaxation points`. */
function wordsOf(name: string): string {
	return clean(name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
