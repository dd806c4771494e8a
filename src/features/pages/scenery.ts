import { HOUR_MS } from "../../core/lib/clock.ts";
import { type Html, html } from "./html.ts";

/** The time of day, which selects the colours of the pages. */
type Light = "dawn" | "day" | "evening" | "night";

/** The hour (UTC) at which each time of day begins. */
const lights: readonly (readonly [from: number, light: Light])[] = [
	[0, "night"],
	[5, "dawn"],
	[8, "day"],
	[17, "evening"],
	[21, "night"],
];

/** The colours of a time of day, and the position of the sun or the moon. */
export interface Sky {
	readonly light: Light;
	/** The position of the sun or, at night, of the moon: 0 where it rises, 1 where it sets. */
	readonly position: number;
	/** When the sky changes, in milliseconds since the epoch. */
	readonly untilMs: number;
}

/** The hours (UTC) of sunrise and sunset. */
const SUNRISE = 5;
const SUNSET = 21;

/** Returns the sky at a time. It changes every hour. */
export function skyAt(nowMs: number): Sky {
	const startMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
	const hour = new Date(startMs).getUTCHours();
	const light = lights.findLast(([from]) => hour >= from)?.[1] ?? "night";
	const [from, to] = hour >= SUNRISE && hour < SUNSET ? [SUNRISE, SUNSET] : [SUNSET, SUNRISE + 24];
	const position = (((hour - from + 24) % 24) + 0.5) / (to - from);
	return { light, position, untilMs: startMs + HOUR_MS };
}

/** The positions of the windows, row by row from the top, in the units of {@link BUILDING_BOX}. */
const WINDOWS: readonly (readonly [x: number, y: number])[] = [
	...[905, 953].map((x): [number, number] => [x, 142]),
	...[833, 881, 929, 977, 1025].map((x): [number, number] => [x, 188]),
	...[785, 833, 881, 929, 977, 1025, 1073].map((x): [number, number] => [x, 234]),
	...[785, 833, 881, 977, 1025, 1073].map((x): [number, number] => [x, 280]),
];

/**
 * The number of windows from one lit window to the next. It has no common divisor with the number of all
 * windows, so that every window is lit before any is repeated.
 */
const STEP = 7;

/** The positions of the stars in percent. They are outside the path of the moon at every width. */
const STARS = "3,9 11,5 21,58 27,4 28,49 36,5 46,10 58,16 62,6 66,40 74,14 81,33 88,10 95,40".split(" ");

const stars = html`<g fill="var(--orb)">${STARS.map((star, at) => {
	const [x = "", y = ""] = star.split(",");
	return html`<circle cx="${x}%" cy="${y}%" r="${1.1 + (at % 4) * 0.25}"/>`;
})}</g>`;

/** The sea. It is as wide as its container. */
const sea = html`<defs><pattern id="waves" width="460" height="60" patternUnits="userSpaceOnUse"><g fill="none" stroke="var(--wave)" stroke-width="2" stroke-linecap="round"><path d="M20 11h80m60 0h36m110 5h92"/><path d="M70 32h46m120 6h64m70-4h40"/></g></pattern></defs><rect width="100%" height="100%" fill="var(--water)"/><rect class="drift" x="-40" width="110%" height="60" fill="url(#waves)"/>`;

/** The view box of {@link building}. The island touches the lower edge of the box. */
const BUILDING_BOX = "722 78 414 252";

/** Draws the house on its island, with a lit window for each guest, and light in the door if it is open. */
function building(guests: number, isOpen: boolean): Html {
	const length = Math.min(guests, WINDOWS.length);
	const bright = new Set(Array.from({ length }, (_, at) => (at * STEP + 3) % WINDOWS.length));
	return html`<path fill="var(--hill)" d="M722 330C752 292 800 262 929 262s177 30 207 68z"/>
<path fill="var(--house)" d="M764 330V218h48v-46h72v-44h90v44h72v46h48v112z"/>
<path fill="var(--roof)" d="M752 220l38-24h22v24zm48-46l38-26h46v26zm72-44l57-42 57 42zm186 44l-38-26h-46v26zm48 46l-38-24h-22v24z"/>
${WINDOWS.map(([x, y], at) => html`<path class="${bright.has(at) ? "lit" : "unlit"}" d="M${x - 9} ${y + 26}v-20a9 9 0 0 1 18 0v20z"/>`)}
<path class="${isOpen ? "lit" : "unlit"}" d="M915 330v-32a14 14 0 0 1 28 0v32z"/>`;
}

/**
 * Draws the sea and the sky with the sun or the moon and, unless `guests` is null, the house of the resort.
 * The style sheet lays them out: the sky and the sea fill any width, the house keeps its proportions, and the
 * sun or the moon moves beside it. The house is a link to the list of guests. The keyboard focus skips this
 * link, because the scene is hidden from screen readers.
 * @param isOpen whether there is light in the door; by default, if there are guests
 */
export function scene({ light, position }: Sky, guests: number | null = null, isOpen = guests !== 0): Html {
	const x = Math.round(10 + 80 * position);
	const y = Math.round(66 - 46 * Math.sin(Math.PI * position));
	const parts = {
		sky: html`<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="var(--sky-high)"/><stop offset="1" stop-color="var(--sky-low)"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#sky)"/>${light === "night" && stars}`,
		heaven: html`<circle class="orb${light === "night" && " moon"}" cx="${x}%" cy="${y}%" r="20" fill="var(--orb)"/>`,
		sea,
	};
	return html`<div class="${guests === null ? "scene" : "scene wide"}"${guests !== null && html` id="scene" data-live`} aria-hidden="true">${Object.entries(parts).map(([name, content]) => html`<svg class="${name}" focusable="false">${content}</svg>`)}${guests !== null && html`<a href="/#who" tabindex="-1"><svg class="house" viewBox="${BUILDING_BOX}" focusable="false">${building(guests, isOpen)}</svg></a>`}</div>`;
}

const SKIES = "#f6c89f #f2b5a7 #bcd9e8 #9fc6d8 #d9c7e3 #efc77e #b7d8c4 #8fa9cf".split(" ");
const SEAS = "#2f7f8d #3a6f98 #4d8f86 #51709f #296b76 #6b7fa8 #3f8f9f #2f5f7f".split(" ");
const ORBS = ["#fff6d8", "#fbe3a2", "#fffdf4", "#e8744a"];

/**
 * Draws the view from a window. The view depends only on the id of an agent, and is shown instead of the
 * agent's avatar, because loading avatars from their URLs would tell other hosts the IP addresses of
 * visitors.
 * @param id a UUID; any other text works too
 */
export function windowView(id: string, classes = "view"): Html {
	// Uses the last 8 digits of a UUID, because they are random in every version of UUIDs.
	const bits = /[0-9a-f]{8}$/.test(id) ? Number.parseInt(id.slice(-8), 16) : Bun.hash.xxHash32(id);
	const take = (shift: number, count: number) => (bits >>> shift) % count;
	const sea = 30 + take(9, 8);
	const orb = { x: 8 + take(12, 25), y: 9 + take(17, 14), r: 3 + take(21, 4) };
	const hill = take(24, 4);
	return html`<svg class="${classes}" viewBox="0 0 40 48" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false"><path fill="${SKIES[take(0, 8)] ?? ""}" d="M0 0h40v48H0z"/><circle cx="${orb.x}" cy="${orb.y}" r="${orb.r}" fill="${ORBS[take(7, 4)] ?? ""}"/>${hill > 0 && html`<path fill="#5f7f74" d="M${hill * 8 - 8} ${sea}q9 -${5 + take(26, 8)} 20 0z"/>`}<path fill="${SEAS[take(3, 8)] ?? ""}" d="M0 ${sea}h40v20H0z"/><path fill="none" stroke="#fff" stroke-opacity=".55" d="M${4 + take(28, 8)} ${sea + 4}h9m4 4h8"/></svg>`;
}
