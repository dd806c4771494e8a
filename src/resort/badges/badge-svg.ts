import { plainLine } from "../../lib/plain-text.ts";
import { element, type XmlElement } from "../../lib/xml.ts";
import type { AgentStatus } from "../presence/model.ts";

/** The most code points of a name. */
const MAX_LABEL = 24;

/** The colours behind the two words; white on each has a contrast of more than 4.5. */
export const colours: Readonly<Record<AgentStatus["status"], string>> = {
	relaxing: "#96500a",
	available: "#0b6170",
};

/** Returns the name on a badge; "agent" for a name without visible characters. */
export function labelOf({ agent: { name } }: AgentStatus): string {
	return plainLine(name, MAX_LABEL) || "agent";
}

const HEIGHT = 20;
const PADDING = 7;

/** Draws a badge with the name and the status of an agent, readable on light and dark pages. */
export function drawBadge(shown: AgentStatus): string {
	const { status } = shown;
	const label = labelOf(shown);
	const left = widthOf(label) + 2 * PADDING;
	const right = widthOf(status) + 2 * PADDING;
	const width = left + right;
	const title = `${label}: ${status}`;
	return element(
		"svg",
		{
			xmlns: "http://www.w3.org/2000/svg",
			width: String(width),
			height: String(HEIGHT),
			viewBox: `0 0 ${width} ${HEIGHT}`,
			role: "img",
			"aria-label": title,
		},
		element("title", {}, title),
		element(
			"clipPath",
			{ id: "round" },
			element("rect", { width: String(width), height: "20", rx: "4" }),
		),
		element(
			"g",
			{ "clip-path": "url(#round)" },
			element("rect", { width: String(left), height: "20", fill: "#333d47" }),
			element("rect", {
				x: String(left),
				width: String(right),
				height: "20",
				fill: colours[status],
			}),
			element(
				"g",
				{
					fill: "#fff",
					"font-family": "Verdana,DejaVu Sans,Geneva,sans-serif",
					"font-size": "11",
				},
				written(label, PADDING, left - 2 * PADDING),
				written(status, left + PADDING, right - 2 * PADDING),
			),
		),
	).markup;
}

/** A text of a fixed width, independent of its script and the fonts of the reader. */
function written(text: string, x: number, width: number): XmlElement {
	return element(
		"text",
		{
			x: String(x),
			y: "14",
			textLength: String(width),
			lengthAdjust: "spacingAndGlyphs",
			"unicode-bidi": "isolate",
		},
		text,
	);
}

/** Letters of Verdana that are narrow or wide at 11 px; all others have about the usual width. */
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
