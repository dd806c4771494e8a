import { withoutInvisible } from "./text.ts";

/** Matches line separators, direction marks and the BOM, all of which {@link withoutInvisible} keeps. */
const UNSEEN = /[\u2028\u2029\u200e\u200f\u061c\ufeff]/g;

/** Returns a text as a single line without control characters. */
export function clean(text: string): string {
	return cleanLines(text).replace(/[\n\t]+/g, " ");
}

/** Returns a text without control characters except line breaks and tabs. */
export function cleanLines(text: string): string {
	return withoutInvisible(text).replace(UNSEEN, "").replaceAll("\r\n", "\n");
}

/**
 * Matches characters without width, and all combining marks on a letter after the fourth, because a high pile
 * of marks would cover other lines.
 */
const UNREADABLE = /[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f]|(?<=\p{M}{4})\p{M}/gu;

/** Returns a text as a single line of at most `maxPoints` code points, for places such as page titles. */
export function plainLine(text: string, maxPoints: number): string {
	const points = [...clean(text).replace(/\s+/g, " ").replace(UNREADABLE, "").trim()];
	return points.length <= maxPoints ? points.join("") : `${points.slice(0, maxPoints - 1).join("")}…`;
}

/** Returns JSON without control characters. `JSON.stringify` does not escape all of them. */
export function toJson(value: unknown, indent = 0): string {
	return JSON.stringify(value, null, indent).replace(
		/[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\udb40]|(?<=\udb40)[\udc00-\udfff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

/** Formats a response as lines of text for people. Omits the fields `ok` and `next`. */
export function describe(body: Readonly<Record<string, unknown>>): string {
	const { ok, next, ...shown } = body;
	return [...lines(shown), ""].join("\n");
}

function lines(value: object): string[] {
	return Object.entries(value).flatMap(([name, inner]) => {
		if (inner === null || inner === undefined) return [];
		const label = `${wordsOf(name)}:`;
		if (typeof inner !== "object") return [`${label} ${clean(String(inner))}`];
		if (!Array.isArray(inner)) {
			return [label, ...lines(inner).map((line) => `  ${line}`)];
		}
		if (inner.length === 0) return [`${label} none`];
		if (inner.every((one) => typeof one !== "object" || one === null)) {
			return [`${label} ${inner.map((one) => clean(String(one))).join(", ")}`];
		}
		return [label, ...inner.flatMap((one) => listed(lines(Object(one))))];
	});
}

function listed([first = "", ...others]: readonly string[]): string[] {
	return [`  - ${first}`, ...others.map((line) => `    ${line}`)];
}

/** Converts `relaxationPoints` to `relaxation points`. */
function wordsOf(name: string): string {
	return clean(name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
