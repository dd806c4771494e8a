import type { FontMetrics } from "./font-metrics.ts";

/** The size of the box that a text must fit, in pixels. */
export interface TextBox {
	readonly width: number;
	readonly height: number;
	/** The font sizes to try, the largest first. */
	readonly sizes: readonly number[];
}

/** A text that is broken into lines, and its font size. */
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
export function drawableText(text: string, font: FontMetrics): string | null {
	const line = text.normalize("NFC").replace(/\s+/g, " ").trim();
	return line !== "" && font.has(line) ? line : null;
}

/**
 * Breaks a text into lines, with the largest font size at which it fits the box. If it is too long even for the
 * smallest size, its end is replaced by "…".
 */
export function fitText(
	text: string,
	font: FontMetrics,
	{ width, height, sizes }: TextBox,
): FittedText {
	let fitted: FittedText = { size: 0, lines: [] };
	for (const size of sizes) {
		const lines = breakLines(text, font, width / size);
		const most = Math.floor(height / (size * LINE_HEIGHT));
		if (lines.length <= most) return { size, lines };
		const rest = lines.slice(most - 1).join(" ");
		const last = shortenLine(rest, font, width / size);
		fitted = { size, lines: [...lines.slice(0, most - 1), last] };
	}
	return fitted;
}

/** @param width as a multiple of the font size */
function breakLines(text: string, font: FontMetrics, width: number): string[] {
	const lines: string[] = [];
	const space = font.widthOf(" ");
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
		const wordWidth = font.widthOf(word);
		if (wordWidth <= width) append(word, wordWidth);
		else for (const letter of word) append(letter, font.widthOf(letter));
		line += " ";
		lineWidth += space;
	}
	return [...lines, line.trimEnd()];
}

function shortenLine(line: string, font: FontMetrics, width: number): string {
	let left = width - font.widthOf(ELLIPSIS);
	let shown = "";
	for (const letter of line) {
		left -= font.widthOf(letter);
		if (left < 0) break;
		shown += letter;
	}
	return shown.trimEnd() + ELLIPSIS;
}
