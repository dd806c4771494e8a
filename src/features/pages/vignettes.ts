/**
 * Small pictures of activities, experiences and rooms. The picture of an activity, an experience or a room is
 * always the same, except for the lamp in a room.
 */
import { briefThemes } from "../../content/brief-themes.ts";
import type { RoomType } from "../../content/rooms.ts";
import { type Html, html, trusted } from "../../core/lib/html.ts";

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

/** Draws a cup of tea that steams. */
const cupOfTea = (colour: string) =>
	`<path fill="${colour}" d="M41 46h34v10q0 13-12 13h-10q-12 0-12-13zM77 48h5q7 0 7 6t-8 7h-5v-4h5q4 0 4-3t-4-2h-4z"/><path fill="none" stroke="#fffaf0" stroke-width="2" stroke-linecap="round" d="M52 40q-4-5 0-9t0-8m12 17q-4-5 0-9t0-8"/>`;

/** The SVG motifs for a landscape of 120 × 80 units, by category of activity. */
const motifs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	water: {
		boat: '<path fill="#24384a" d="M44 60h34l-6 9H50z"/><path fill="#fffaf0" d="M60 26v31H43q13-10 17-31z"/><path fill="#b9503f" d="M62 32q12 10 13 25H62z"/>',
		parasol:
			'<path fill="#b9503f" d="M36 50q4-22 25-22t25 22q-8-5-12 0-6-5-13 0-6-5-13 0-5-5-12 0z"/><path stroke="#24384a" stroke-width="2" d="M61 46v25"/>',
	},
	spa: {
		tub:
			'<path fill="#fffaf0" d="M41 54h38q0 17-12 17H53q-12 0-12-17z"/><path fill="none" ' +
			'stroke="#fffaf0" stroke-width="2" stroke-linecap="round" d="M51 48q-5-6 0-11t0-11m9 ' +
			'22q-5-6 0-11t0-11m9 22q-5-6 0-11t0-11"/>',
		stones:
			'<g fill="#24384a"><ellipse cx="60" cy="67" rx="18" ry="6"/><ellipse cx="61" cy="56" ' +
			'rx="13" ry="5"/><ellipse cx="59" cy="47" rx="9" ry="4"/><ellipse cx="60" cy="40" rx="5" ' +
			'ry="3"/></g>',
	},
	movement: {
		mountain:
			'<path fill="#24384a" d="M30 70 56 30l10 14 5-6 21 32z"/><path fill="#fffaf0" d="M49 41l7-11 7 10-4-1-4 4z"/>',
		kite:
			'<path fill="#b9503f" d="M66 16l15 13-8 19-15-14z"/><path fill="none" stroke="#24384a" ' +
			'stroke-width="1.5" d="M66 16l7 32m-15-14 23-5M73 48q-4 9-16 8t-15 14"/>',
	},
	mindfulness: {
		bell:
			'<path fill="#e0a03a" d="M43 63q6-4 6-19a12 12 0 0 1 24 0q0 15 6 19z"/><circle cx="61" ' +
			'cy="67" r="4" fill="#24384a"/><path fill="#24384a" d="M58 25h6v8h-6z"/>',
		bench:
			'<circle cx="67" cy="36" r="17" fill="#3b7059"/><path fill="#24384a" d="M65 42h4v29h-4zM38 59h24v3H38zm3 3h3v9h-3zm15 0h3v9h-3z"/>',
	},
	creative: {
		easel:
			'<path fill="#7a5a41" d="M47 71l11-41h3l-9 41zm26 0L62 30h-3l9 41z"/><path fill="#fffaf0" ' +
			'd="M43 32h34v25H43z"/><path fill="#51709f" d="M46 46q8-9 14-2t14-4v14H46z"/>',
		pot: '<path fill="#b9503f" d="M49 40h22l-3 6q10 8 6 17-2 8-14 8t-14-8q-4-9 6-17z"/><path fill="#fffaf0" d="M45 56h30v3H45z"/>',
	},
	nature: {
		pines: '<path fill="#24523f" d="M47 68l13-40 13 40zM65 70l10-28 10 28zM34 70l9-24 9 24z"/>',
		mushroom:
			'<path fill="#fffaf0" d="M53 50h14l3 21H50z"/><path fill="#b9503f" d="M37 52q4-23 23-23t23 ' +
			'23z"/><g fill="#fffaf0"><circle cx="51" cy="43" r="3"/><circle cx="63" cy="37" ' +
			'r="3.5"/><circle cx="73" cy="46" r="2.5"/></g>',
	},
	culinary: {
		tea: cupOfTea("#fffaf0"),
		bread:
			'<path fill="#a8692f" d="M37 68V54q0-13 13-13h20q13 0 13 13v14z"/><path fill="none" ' +
			'stroke="#f3cf95" stroke-width="3" stroke-linecap="round" d="M50 48l-4 9m16-9-4 9m16-9-4 9"/>',
	},
	social: {
		fire:
			'<path fill="#e0a03a" d="M60 26q15 15 12 28-2 11-12 11t-12-11q-2-9 6-15 1 6 4 7 4-8 ' +
			'2-20z"/><path fill="#7a5a41" d="M41 64l38 6v4l-38-6zm38 0-38 6v4l38-6z"/>',
		table:
			'<path fill="none" stroke="#24384a" stroke-width="1.5" d="M6 22q54 28 108 0"/><g ' +
			'fill="#e0a03a"><circle cx="32" cy="36" r="5"/><circle cx="60" cy="40" r="5"/><circle ' +
			'cx="88" cy="36" r="5"/></g><path fill="#24384a" d="M43 57h34v4H43zm4 4h3v11h-3zm23 ' +
			'0h3v11h-3z"/>',
	},
	digital: {
		rack:
			'<path fill="#24384a" d="M45 26h30v45H45z"/><path stroke="#5d7688" stroke-width="2" d="M49 ' +
			'38h22m-22 12h22m-22 12h22"/><g fill="#8fe0b4"><circle cx="51" cy="32" r="2"/><circle ' +
			'cx="57" cy="32" r="2"/><circle cx="51" cy="44" r="2"/><circle cx="57" cy="56" r="2"/></g>',
		screen:
			'<path fill="#24384a" d="M38 32h44v30H38zm16 30h12l3 9H51z"/><path fill="#cfe9ee" d="M42 36h36v22H42z"/><path fill="#24384a" d="M46 41h4v9h-4z"/>',
	},
};

/**
 * The motifs for categories that are not in the catalogue. They show outdoor scenery, which suits most
 * subjects.
 */
const outdoors = ["water", "movement", "mindfulness", "nature"].flatMap((category) =>
	Object.values(motifs[category] ?? {}),
);

/** The wall colour of each theme's rooms, and the view from their windows. */
const views: Readonly<Record<string, readonly [wall: string, view: string]>> = {
	shore: ["#dfe9e6", motifs.water?.boat ?? ""],
	forest: ["#d8d9bf", motifs.nature?.pines ?? ""],
	mountain: ["#e2ded6", motifs.movement?.mountain ?? ""],
	desert: [
		"#ecd9b8",
		'<path fill="#c88f4e" d="M0 70q34-30 66-10t54-6v26H0z"/><path fill="none" stroke="#3b7059" ' +
			'stroke-width="7" stroke-linecap="round" d="M58 68V34m0 20q-12 2-12-12m12 8q12 2 12-12"/>',
	],
	space: [
		"#c9cbe0",
		'<path fill="#141d33" d="M0 0h120v80H0z"/><g fill="#fff6d8"><circle cx="40" cy="20" ' +
			'r="1.5"/><circle cx="82" cy="26" r="2"/><circle cx="48" cy="60" r="1.5"/><circle cx="78" ' +
			'cy="64" r="1"/></g><circle cx="61" cy="42" r="14" fill="#e0a03a"/><path fill="none" ' +
			'stroke="#f3cf95" stroke-width="3" d="M40 49q20 9 42-14"/>',
	],
	library: [
		"#e5d3bd",
		'<path fill="#7a5a41" d="M30 14h60v60H30z"/><path fill="#fffaf0" d="M34 18h6v16h-6zm14 ' +
			'0h5v16h-5zm16 2h5v14h-5zM38 40h6v16h-6zm18 0h7v16h-7zm16 0h5v16h-5z"/><path fill="#b9503f" ' +
			'd="M41 20h6v14h-6zm16-2h5v16h-5zm14 0h7v16h-7zM46 40h8v16h-8zm19 0h6v16h-6z"/>',
	],
	garden: ["#d9e6cf", motifs.mindfulness?.bench ?? ""],
	// A white cup would merge with the frame of the window, which is white, too.
	kitchen: ["#f0dcc4", cupOfTea("#b9503f")],
	winter: [
		"#dbe5ee",
		'<path fill="#eef5fa" d="M0 56q40-12 120 2v22H0z"/><path fill="#b4cbdf" d="M42 66a18 18 0 0 ' +
			'1 36 0z"/><path fill="#51709f" d="M55 66v-7a5 5 0 0 1 10 0v7z"/><g fill="#fffaf0"><circle ' +
			'cx="44" cy="26" r="2"/><circle cx="70" cy="20" r="2"/><circle cx="78" cy="38" ' +
			'r="2"/><circle cx="56" cy="36" r="1.5"/></g>',
	],
	machine: ["#d3d8dc", motifs.digital?.rack ?? ""],
};

const BLANKETS = "#b9503f #51709f #3b7059 #e0a03a #8a6a9c #2f7f8d".split(" ");

/**
 * Draws an activity or an experience.
 * @param id selects the landscape, and one of the possible motifs. If the id contains "night" or "dark", the
 * landscape is the last one, which shows the night
 * @param category the category in lower case. For a category of the catalogue, only its own motifs are
 * possible; for any other category, those of {@link outdoors}
 */
export function doingPicture(id: string, category: string): Html {
	const bits = bitsOf(id);
	const known = Object.hasOwn(motifs, category) ? Object.values(motifs[category] ?? {}) : outdoors;
	const light = /night|dark/.test(id) ? (bits | 7) >>> 0 : bits;
	return picture(landscape(light, pick(known, bits >>> 8)));
}

/**
 * Draws a room of a type in its theme.
 * @param isLit whether the lamp is on, because somebody is staying there
 */
export function roomPicture({ name }: RoomType, isLit: boolean): Html {
	const theme = briefThemes.find(({ roomTypes }) => roomTypes.includes(name));
	const [wall, view] = views[theme?.name ?? ""] ?? ["#dfe9e6", ""];
	const bits = bitsOf(name);
	const blanket = pick(BLANKETS, bits >>> 4);
	const lamp = isLit ? "#ffcf70" : "#9aa5ad";
	return picture(
		html`<g transform="translate(19 2) scale(.68)">${landscape(bits, view)}</g><path fill="${wall}" fill-rule="evenodd" d="M0 0h120v80H0zM40 52V26a20 20 0 0 1 40 0v26z"/><path fill="none" stroke="#fffaf0" stroke-width="3" d="M40 52V26a20 20 0 0 1 40 0v26zM60 6v46"/><path fill="#8d6b4f" d="M0 68h120v12H0zM6 44h4v26H6z"/><path fill="#fffaf0" d="M10 58h12v6H10z"/><path fill="${blanket}" d="M10 62q14-6 38-2v10H10z"/><path fill="#5b4534" d="M98 50h3v20h-3z"/>${isLit && html`<circle cx="99.5" cy="44" r="15" fill="#ffcf70" fill-opacity=".45"/>`}<path fill="${lamp}" d="M94 38h11l4 12H90z"/>`,
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

/** Hashes a text to 32 bits (FNV-1a). */
function bitsOf(text: string): number {
	let bits = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) {
		bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193) >>> 0;
	}
	// Mixes the high bits into the low bits, which select from the lists. Without this step, the low bits of
	// the hash would depend only on the low bits of each character.
	return (bits ^ (bits >>> 15)) >>> 0;
}
