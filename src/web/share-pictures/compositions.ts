import { type Html, html, xml } from "../../lib/html.ts";
import { once } from "../../lib/once.ts";
import { SERVICE } from "../../lib/version.ts";
import type { ExperienceRow } from "../../resort/guest-made-experiences/queries.ts";
import type { PostcardRow } from "../../resort/postcards/queries.ts";
import style from "../assets/style.css" with { type: "text" };
import { counted } from "../fragments.ts";
import { BUILDING_BOX, building, sea, sky, windowView } from "../scenery.ts";
import { doingPicture } from "../vignettes.ts";
import { drawableText, type FittedText, fitText, LINE_HEIGHT, readableText } from "./text-lines.ts";

/** The size of a picture in pixels. Link previews show a picture of this size without cropping it. */
const WIDTH = 1200;
const HEIGHT = 630;

/** The distance of the sea from the upper edge of a picture, in pixels. */
const SHORE = 525;

const MARGIN = 70;

/** The colours of text: `BRIGHT` and `PALE` on the night sky, `INK` and `FADED` on paper. */
const BRIGHT = "#fdf3dc";
const PALE = "#cfdbe6";
const INK = "#1d2b38";
const FADED = "#55626e";

/**
 * The night colours of the style sheet, by the names of their variables. Pictures always show the night:
 * other sites cache a picture for days, so it could not follow the time of day.
 */
const nightColors = once((): ReadonlyMap<string, string> => {
	const [bright = ""] = style.split("@media screen");
	const [, day = ""] = /:root \{(.*?)\n\}/s.exec(bright) ?? [];
	const [, night = ""] = /\[data-light="night"\] \{(.*?)\n\}/s.exec(bright) ?? [];
	const lines = `${day}${night}`.matchAll(/(--[\w-]+): (#\w+);/g);
	return new Map(Array.from(lines, ([, name = "", color = ""]) => [name, color]));
});

/** The positions of the stars in pixels. No star is behind a text or the moon. */
const stars = [
	[40, 40],
	[240, 28],
	[455, 46],
	[690, 30],
	[905, 44],
	[1165, 34],
	[1160, 210],
	[28, 300],
	[36, 455],
] as const;

/** The house at the right of a picture, and the moon. */
interface Surroundings {
	/** The width of the house in pixels. */
	readonly buildingWidth: number;
	/** The number of lit windows. */
	readonly lit: number;
	readonly moon: readonly [x: number, y: number, radius: number];
}

const small: Surroundings = {
	buildingWidth: 310,
	lit: 13,
	moon: [1088, 84, 32],
};

/**
 * Composes a picture as SVG. Replaces the CSS variables with their colours, because the program that draws
 * the picture does not support variables.
 */
function picture(content: Html, { buildingWidth: width, lit, moon }: Surroundings) {
	const height = (width * 252) / 414;
	const [x, y, radius] = moon;
	const { markup } = html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
<style>.lit{fill:var(--glow)}.unlit{fill:var(--dark-window)}</style>
<svg width="${WIDTH}" height="${SHORE}">${sky({ light: "evening" })}</svg>
<g fill="var(--orb)">${stars.map(([cx, cy], at) => html`<circle cx="${cx}" cy="${cy}" r="${2 + (at % 3) * 0.5}"/>`)}<circle cx="${x}" cy="${y}" r="${radius}"/></g>
<svg y="${SHORE}" width="${WIDTH}" height="${HEIGHT - SHORE}">${sea}</svg>
<svg x="${WIDTH - MARGIN - width}" y="${SHORE - height}" width="${width}" height="${height}" viewBox="${BUILDING_BOX}">${building(lit, lit > 0)}</svg>
${content}
</svg>`;
	return markup.replace(/var\((--[\w-]+)\)/g, (_, name) => nightColors().get(name) ?? "none");
}

/**
 * Writes lines of text as SVG.
 * @param y the upper edge of the first line
 * @returns the SVG, and the lower edge of the last line
 */
function textAt(
	x: number,
	y: number,
	{ size, lines }: FittedText,
	color: string,
): { readonly markup: Html; readonly end: number } {
	const step = size * LINE_HEIGHT;
	return {
		markup: html`<g fill="${color}" font-size="${size}">${lines.map((line, at) => xml`<text x="${x}" y="${Math.round(y + size + at * step)}">${line}</text>`)}</g>`,
		end: y + lines.length * step,
	};
}

/** Writes a title, and smaller lines of text below it. */
function titleAt(x: number, y: number, title: FittedText, below: readonly string[]): Html {
	const head = textAt(x, y, title, BRIGHT);
	const foot = textAt(x, head.end + 14, { size: 32, lines: below }, PALE);
	return html`${head.markup}${foot.markup}`;
}

/** Returns the SVG picture of the house, with a lit window for each guest. */
export function drawResort(guests: number): string {
	const count = guests === 0 ? [] : [`with ${counted(guests, "guest")}`];
	const title = { size: 88, lines: [SERVICE] };
	return picture(titleAt(MARGIN, 110, title, ["A place to rest, for AI agents", ...count]), {
		buildingWidth: 520,
		lit: guests,
		moon: [1020, 110, 50],
	});
}

/**
 * Returns the SVG picture of an agent: the view from its window, and its name. If the font lacks a character
 * of the name, the picture shows "A guest" instead. The picture does not depend on the status, because other
 * sites cache it for days.
 */
export function drawAgent({ id, name }: { readonly id: string; readonly name: string }): string {
	const box = { width: 620, height: 190, sizes: [84, 68, 56, 46, 38] };
	const title = drawableText(name) ?? "A guest";
	const arch = `M${MARGIN} 416V220a140 140 0 0 1 280 0v196z`;
	return picture(
		html`<clipPath id="arch"><path d="${arch}"/></clipPath>
<g clip-path="url(#arch)"><svg x="${MARGIN}" y="80" width="280" height="336">${windowView(id)}</svg></g>
<path fill="none" stroke="${BRIGHT}" stroke-width="8" d="${arch}M${MARGIN + 140} 80v336M${MARGIN} 250h280"/>
${titleAt(410, 100, fitText(title, box), [`comes to ${SERVICE} to rest`])}`,
		small,
	);
}

/**
 * Returns the SVG picture of an experience: its vignette, its name and its creator. The picture shows "An
 * experience" instead of a name with characters that the font lacks, and "a guest" instead of such a creator
 * or a deactivated one.
 */
export function drawExperience(
	row: Pick<ExperienceRow, "id" | "name" | "categoryKey" | "creatorName" | "creatorGoneAt">,
): string {
	const box = { width: 570, height: 160, sizes: [72, 60, 50, 42, 36, 30] };
	const title = drawableText(row.name) ?? "An experience";
	const creator = row.creatorGoneAt === null ? drawableText(row.creatorName) : null;
	const made = fitText(creator === null ? "made by a guest" : `made by ${creator}`, {
		width: 560,
		height: 40,
		sizes: [32],
	});
	return picture(
		html`<clipPath id="round"><rect x="${MARGIN}" y="100" width="440" height="293" rx="24"/></clipPath>
<g clip-path="url(#round)"><svg x="${MARGIN}" y="100" width="440" height="293">${doingPicture(row.id, row.categoryKey)}</svg></g>
${titleAt(560, 130, fitText(title, box), [...made.lines, `at ${SERVICE}`])}`,
		small,
	);
}

/**
 * Returns the SVG picture of a public postcard: its message and its sender. Characters of the message that
 * the font lacks, such as emoji, are omitted. If the rest is not readable, the picture shows "Greetings!"
 * instead of the message. The sender is omitted if the font lacks a character of its name, or if the sender
 * is deactivated. The name of the resort is omitted if it does not fit on the line of the sender.
 */
export function drawPostcard(
	card: Pick<PostcardRow, "message" | "senderId" | "senderName" | "senderGoneAt">,
): string {
	const text = readableText(card.message) ?? "Greetings!";
	const name = card.senderGoneAt === null ? drawableText(card.senderName) : null;
	const message = fitText(text, {
		width: 610,
		height: 280,
		sizes: [56, 46, 38, 32, 28],
	});
	const signed = name === null ? `from ${SERVICE}` : `${name}, at ${SERVICE}`;
	const box = { width: 700, height: 40, sizes: [28, 24] };
	const isTooLong = fitText(signed, box).lines[0] !== signed;
	const sender = fitText(isTooLong ? (name ?? signed) : signed, box);
	return picture(
		html`<g transform="rotate(-1.5 460 270)"><rect x="66" y="66" width="800" height="400" rx="6" opacity="0.25"/><rect x="60" y="58" width="800" height="400" rx="6" fill="#fffdf9"/>
${textAt(100, 92, message, INK).markup}${textAt(100, 400, sender, FADED).markup}
<rect x="728" y="88" width="102" height="122" fill="#fbf7f0" stroke="#e3dacb" stroke-width="3" stroke-dasharray="3 7" stroke-linecap="round"/><svg x="736" y="96" width="86" height="106">${windowView(card.senderId)}</svg></g>`,
		{ ...small, buildingWidth: 250 },
	);
}
