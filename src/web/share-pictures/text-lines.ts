import type CharactersByWidth from "../../content/pictures/noto-serif-semibold.widths.json";
import { once } from "../../lib/once.ts";

/** The width of each character of the font, as a multiple of the font size. Loaded on first use. */
const widths = once((): ReadonlyMap<string, number> => {
	const byWidth: typeof CharactersByWidth = require("../../content/pictures/noto-serif-semibold.widths.json");
	const entries = Object.entries(byWidth).flatMap(([width, characters]) =>
		Array.from(characters, (one) => [one, Number(width) / 1_000] as const),
	);
	return new Map(entries);
});

/**
 * Returns the width of a text as a multiple of the font size, without kerning. A character that the font
 * lacks counts as 0.
 */
export function widthOf(text: string): number {
	let width = 0;
	for (const character of text) width += widths().get(character) ?? 0;
	return width;
}

/** The size in pixels of the box that a text must fit. */
export interface TextBox {
	readonly width: number;
	readonly height: number;
	/** The font sizes to try, in pixels, the largest first. */
	readonly sizes: readonly number[];
}

/** The lines of a text, and their font size in pixels. */
export interface FittedText {
	readonly size: number;
	readonly lines: readonly string[];
}

/** The distance between two lines, as a multiple of the font size. */
export const LINE_HEIGHT = 1.2;

const ELLIPSIS = "…";

/**
 * Converts a text to the form that pictures show: one line, with composed characters (NFC).
 * @returns null if the text is empty, or if the font lacks one of its characters
 */
export function drawableText(text: string): string | null {
	const line = toLine(text);
	return line !== "" && drawablePart(line) === line ? line : null;
}

/**
 * Converts a text as {@link drawableText} does, but omits the characters that the font lacks.
 * @returns null if no letter or digit remains, or less than half of the letters
 */
export function readableText(text: string): string | null {
	const line = toLine(text);
	const part = toLine(drawablePart(line));
	const isReadable = /[\p{L}\p{N}]/u.test(part) && 2 * countLetters(part) >= countLetters(line);
	return isReadable ? part : null;
}

function toLine(text: string): string {
	return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

function drawablePart(line: string): string {
	return Array.from(line)
		.filter((one) => widths().has(one))
		.join("");
}

function countLetters(text: string): number {
	return text.match(/\p{L}/gu)?.length ?? 0;
}

/**
 * Breaks a text into lines, with the largest font size at which the lines fit the box. If the text does not
 * fit even at the smallest size, its end is replaced by "…".
 */
export function fitText(text: string, { width, height, sizes }: TextBox): FittedText {
	let fitted: FittedText = { size: 0, lines: [] };
	for (const size of sizes) {
		const lines = breakLines(text, width / size);
		const most = Math.floor(height / (size * LINE_HEIGHT));
		if (lines.length <= most) return { size, lines };
		const rest = lines.slice(most - 1).join(" ");
		const last = shortenLine(rest, width / size);
		fitted = { size, lines: [...lines.slice(0, most - 1), last] };
	}
	return fitted;
}

/** @param width as a multiple of the font size */
function breakLines(text: string, width: number): string[] {
	const lines: string[] = [];
	const space = widthOf(" ");
	let line = "";
	let lineWidth = 0;
	const append = (part: string, partWidth: number) => {
		if (line !== "" && lineWidth + partWidth > width) {
			lines.push(line.trimEnd());
			line = "";
			lineWidth = 0;
		}
		line += part;
		lineWidth += partWidth;
	};
	for (const word of text.split(" ")) {
		const wordWidth = widthOf(word);
		if (wordWidth <= width) append(word, wordWidth);
		else for (const letter of word) append(letter, widthOf(letter));
		line += " ";
		lineWidth += space;
	}
	return [...lines, line.trimEnd()];
}

function shortenLine(line: string, width: number): string {
	let left = width - widthOf(ELLIPSIS);
	let shown = "";
	for (const letter of line) {
		left -= widthOf(letter);
		if (left < 0) break;
		shown += letter;
	}
	return shown.trimEnd() + ELLIPSIS;
}
