/** Texts for people. What guests wrote must not steer the terminal that shows it. */

/** Control characters (C0, C1, DEL) and those that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const INVISIBLE = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A text as one line without anything that a terminal obeys. */
export function clean(text: string): string {
	return text
		.replace(INVISIBLE, "")
		.replace(/[\n\r\t]+/g, " ")
		.replace(CONTROLS, "");
}

/** The same for a document, whose lines stay. */
export function cleanLines(text: string): string {
	return text
		.split(/\r?\n/)
		.map((line) => line.split("\t").map(clean).join("\t"))
		.join("\n");
}

/**
 * JSON in which is escaped what `JSON.stringify` leaves as it is and a terminal may obey.
 * @param indent blanks for each level; 0 for one line
 */
export function toJson(value: unknown, indent = 0): string {
	return JSON.stringify(value, null, indent).replace(
		/[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g,
		(character) =>
			`\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

/** What is for programs alone. */
const HIDDEN = ["ok", "next"];

/** An answer as lines for people. */
export function describe(told: Readonly<Record<string, unknown>>): string {
	const shown = Object.entries(told).filter(([name]) => !HIDDEN.includes(name));
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
