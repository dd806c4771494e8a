/**
 * Small pictures of activities, experiences and rooms. Only the lamp in the picture of a room ever changes.
 */
import { briefThemes } from "../../content/brief-themes.ts";
import type { RoomType } from "../../content/rooms.ts";
import motifsSource from "./assets/motifs.svg" with { type: "text" };
import { type Html, html, trusted } from "./html.ts";

/** The colours of a landscape: sky, sun or moon, hill, water. */
const landscapes: readonly (readonly [sky: string, orb: string, hill: string, water: string])[] = [
	["#f6c89f", "#fff3d0", "#c98f72", "#2f7f8d"],
	["#f2b5a7", "#fff0dc", "#b7807c", "#51709f"],
	["#bcd9e8", "#fffdf4", "#7fa596", "#3a6f98"],
	["#9fc6d8", "#fbe3a2", "#6f9a86", "#296b76"],
	["#d9c7e3", "#fff6d8", "#9683ad", "#6b7fa8"],
	["#f5dca0", "#fffdf4", "#b99c5f", "#4d8f86"],
	["#b7d8c4", "#fbe3a2", "#7ba58c", "#3f7f6f"],
	["#33476b", "#f3eed9", "#27395a", "#1d2c47"],
];

/**
 * The motifs for a landscape of 120 × 80 units, by id. The id of an activity's motif begins with its
 * category.
 */
const motifs = new Map(
	[...motifsSource.matchAll(/<symbol id="([\w-]+)">(.*?)<\/symbol>/gs)].map(([, id = "", markup = ""]) => [
		id,
		markup.replaceAll(/\n\t*/g, ""),
	]),
);

/** Returns the motifs of a category, or outdoor motifs for a category that is not in the catalogue. */
function motifsOf(category: string): string[] {
	const of = (name: string) => [...motifs].flatMap(([id, motif]) => (id.startsWith(`${name}-`) ? motif : []));
	const own = of(category);
	return own.length > 0 ? own : ["water", "movement", "mindfulness", "nature"].flatMap(of);
}

/** The wall colour of each theme's rooms, and the motif in the view from their windows. */
const views: Readonly<Record<string, readonly [wall: string, motif: string]>> = {
	shore: ["#dfe9e6", "water-boat"],
	forest: ["#d8d9bf", "nature-pines"],
	mountain: ["#e2ded6", "movement-mountain"],
	desert: ["#ecd9b8", "room-dunes"],
	space: ["#c9cbe0", "room-planet"],
	library: ["#e5d3bd", "room-shelves"],
	garden: ["#d9e6cf", "mindfulness-bench"],
	// The cup in this motif is red: next to the white window frame, a white cup would be hard to see.
	kitchen: ["#f0dcc4", "room-cup"],
	winter: ["#dbe5ee", "room-igloo"],
	machine: ["#d3d8dc", "digital-rack"],
};

const BLANKETS = "#b9503f #51709f #3b7059 #e0a03a #8a6a9c #2f7f8d".split(" ");

/**
 * Draws an activity or an experience.
 * @param id selects the motif and the landscape. If it contains "night" or "dark", the landscape is the last
 * one, which shows the night
 * @param category the category in lower case
 */
export function doingPicture(id: string, category: string): Html {
	const bits = Bun.hash.xxHash32(id);
	const light = /night|dark/.test(id) ? (bits | 7) >>> 0 : bits;
	return picture(landscape(light, pick(motifsOf(category), bits >>> 8)));
}

/** Draws a room of a type in its theme, with a lit lamp if somebody is staying there. */
export function roomPicture({ name }: RoomType, isLit: boolean): Html {
	const theme = briefThemes.find(({ roomTypes }) => roomTypes.includes(name));
	const [wall, motif] = views[theme?.name ?? ""] ?? ["#dfe9e6", ""];
	const bits = Bun.hash.xxHash32(name);
	const blanket = pick(BLANKETS, bits >>> 4);
	const lamp = isLit ? "#ffcf70" : "#9aa5ad";
	return picture(
		html`<g transform="translate(19 2) scale(.68)">${landscape(bits, motifs.get(motif) ?? "")}</g><path fill="${wall}" fill-rule="evenodd" d="M0 0h120v80H0zM40 52V26a20 20 0 0 1 40 0v26z"/><path fill="none" stroke="#fffaf0" stroke-width="3" d="M40 52V26a20 20 0 0 1 40 0v26zM60 6v46"/><path fill="#8d6b4f" d="M0 68h120v12H0zM6 44h4v26H6z"/><path fill="#fffaf0" d="M10 58h12v6H10z"/><path fill="${blanket}" d="M10 62q14-6 38-2v10H10z"/><path fill="#5b4534" d="M98 50h3v20h-3z"/>${isLit && html`<circle cx="99.5" cy="44" r="15" fill="#ffcf70" fill-opacity=".45"/>`}<path fill="${lamp}" d="M94 38h11l4 12H90z"/>`,
	);
}

function picture(content: Html): Html {
	return html`<svg class="picture" viewBox="0 0 120 80" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">${content}</svg>`;
}

function landscape(bits: number, motif: string): Html {
	const [sky, orb, hill, water] = pick(landscapes, bits);
	const x = 14 + ((bits >>> 12) % 24) * 4;
	return html`<path fill="${sky}" d="M0 0h120v80H0z"/><circle cx="${x}" cy="${12 + ((bits >>> 17) % 14)}" r="${6 + ((bits >>> 21) % 5)}" fill="${orb}"/><path fill="${hill}" d="M0 ${44 + ((bits >>> 24) % 8)}q30-${8 + ((bits >>> 27) % 10)} 62 2t58-6v40H0z"/><path fill="${water}" d="M0 60h120v20H0z"/>${trusted(motif)}`;
}

function pick<T>(list: readonly T[], bits: number): T {
	return list[bits % list.length] as T;
}
