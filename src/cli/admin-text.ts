/** How answers of the administration are written for people. */
import { clean } from "../client/text.ts";

/** The fields of an answer, which an instance of another version may leave out. */
export type Fields = Readonly<Record<string, unknown>>;

/** How wide a line may be, in columns. */
const WIDTH = 100;

/** How far what follows of a long line stands behind its beginning, in columns. */
const INDENT = 4;

/** The beginning of a date-time of RFC 3339, to the minute. */
const MINUTE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;

/**
 * A sentence with values in it, without anything that a terminal obeys.
 * @returns null when a value is missing, as in the answer of an older instance
 */
export function said(
	parts: TemplateStringsArray,
	...values: readonly unknown[]
): string | null {
	if (values.some((value) => value === undefined || value === null)) {
		return null;
	}
	const cleaned = values.map((value) => clean(String(value)));
	return `${String.raw({ raw: parts }, ...cleaned)}\n`;
}

/** A number of things: `1 agent`, `2 agents`. */
export function counted(count: unknown, thing: string): string {
	return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** A date-time as people read it, in UTC: `2026-03-10 12:00`. Anything else stays as it is. */
export function readableTime(value: unknown): string {
	const [, day, time] = MINUTE.exec(String(value)) ?? [];
	return day === undefined ? String(value) : `${day} ${time}`;
}

/** Columns under a head; the last one may be as wide as it is. */
export function table(
	head: readonly string[],
	rows: readonly (readonly string[])[],
): string {
	const lines = [head, ...rows].map((cells) => cells.map(clean));
	const widths = head.map((_, column) =>
		Math.max(...lines.map((cells) => Bun.stringWidth(cells[column] ?? ""))),
	);
	return lines
		.map((cells) => {
			const padded = cells.map((cell, column) => {
				const gap = (widths[column] ?? 0) - Bun.stringWidth(cell);
				return column === cells.length - 1 ? cell : cell + " ".repeat(gap);
			});
			return `${padded.join("  ")}\n`;
		})
		.join("");
}

/** Breaks long lines between their words; what follows stands farther in. */
export function wrapped(text: string): string {
	return text.split("\n").flatMap(wrapLine).join("\n");
}

function wrapLine(line: string): string[] {
	if (Bun.stringWidth(line) <= WIDTH) return [line];
	const margin = /^ */.exec(line)?.[0] ?? "";
	const lines: string[] = [];
	let current = margin;
	let width = margin.length;
	for (const word of line.trim().split(/ +/)) {
		const more = Bun.stringWidth(word);
		if (current.trim() !== "" && width + more > WIDTH) {
			lines.push(current.trimEnd());
			current = margin + " ".repeat(INDENT);
			width = current.length;
		}
		current += `${word} `;
		width += more + 1;
	}
	return [...lines, current.trimEnd()];
}

/** The fields of what stands in an answer. */
export function fieldsOf(value: unknown): Fields {
	return { ...Object(value) };
}
