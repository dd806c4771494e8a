import { type Html, xml } from "../html.ts";

const PADDING = 7;

/** The parts of a badge: the name and the status of an agent, and the background colour of the status. */
interface Badge {
	readonly label: string;
	readonly message: string;
	readonly color: string;
}

/** Draws a badge with the name and the status of an agent. The badge is readable on light and dark pages. */
export function drawBadge({ label, message, color }: Badge): string {
	const left = widthOf(label) + 2 * PADDING;
	const right = widthOf(message) + 2 * PADDING;
	const width = left + right;
	const title = `${label}: ${message}`;
	return xml`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="round"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#round)">
<rect width="${left}" height="20" fill="#333d47"/>
<rect x="${left}" width="${right}" height="20" fill="${color}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
${written(label, PADDING, left - 2 * PADDING)}
${written(message, left + PADDING, right - 2 * PADDING)}
</g>
</g>
</svg>
`.markup;
}

/** Draws text with a fixed width, so that the layout does not depend on the reader's fonts. */
function written(text: string, x: number, width: number): Html {
	return xml`<text x="${x}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs" unicode-bidi="isolate">${text}</text>`;
}

/**
 * `narrow` and `wide` match the characters that are narrow or wide in Verdana at 11 px. Other Latin
 * characters have about the average width.
 */
const narrow = /[ijltfrI.,:;'|! ()[\]-]/;
const wide = /[mwMWGOQD@%]/;

/** Estimates the width of a text in pixels. */
function widthOf(text: string): number {
	let width = 0;
	for (const character of text) {
		if (narrow.test(character)) width += 4.2;
		else if (wide.test(character)) width += 9.6;
		else width += (character.codePointAt(0) ?? 0) > 0x2e80 ? 11 : 7;
	}
	return Math.max(7, Math.round(width));
}
