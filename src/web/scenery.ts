import { HOUR_MS } from "../lib/clock.ts";
import { type Html, html } from "../lib/html.ts";

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

/** The hour of sunrise (UTC). */
const SUNRISE = 5;
const SUNSET = 21;

/** Returns the sky at a time. It changes every hour. */
export function skyAt(nowMs: number): Sky {
	const startMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
	const hour = new Date(startMs).getUTCHours();
	const light = lights.findLast(([from]) => hour >= from)?.[1] ?? "night";
	const isUp = hour >= SUNRISE && hour < SUNSET;
	const since = isUp ? hour - SUNRISE : (hour - SUNSET + 24) % 24;
	const lasts = isUp ? SUNSET - SUNRISE : 24 - (SUNSET - SUNRISE);
	return { light, position: (since + 0.5) / lasts, untilMs: startMs + HOUR_MS };
}

/** The windows of the resort, row by row from the top. */
const WINDOWS: readonly (readonly [x: number, y: number])[] = [
	...[905, 953].map((x): [number, number] => [x, 142]),
	...[833, 881, 929, 977, 1025].map((x): [number, number] => [x, 188]),
	...[785, 833, 881, 929, 977, 1025, 1073].map((x): [number, number] => [
		x,
		234,
	]),
	...[785, 833, 881, 977, 1025, 1073].map((x): [number, number] => [x, 280]),
];

/** The distance between consecutively lit windows. It is coprime to the number of windows, so each is reached once. */
const STEP = 7;

/** Draws the resort by the sea, with one lit window for each guest while there are windows left. */
export function resortScene(sky: Sky, guests: number): Html {
	const lit = new Set(
		Array.from(
			{ length: Math.min(guests, WINDOWS.length) },
			(_, at) => (at * STEP + 3) % WINDOWS.length,
		),
	);
	return html`<svg class="scene wide" id="scene" data-live viewBox="0 0 1200 400" preserveAspectRatio="xMaxYMax slice" aria-hidden="true" focusable="false">
${background(sky)}
<path fill="var(--hill)" d="M560 330C690 262 760 250 880 250s250 18 320 70v80H560z"/>
<path fill="var(--house)" d="M764 330V218h48v-46h72v-44h90v44h72v46h48v112z"/>
<path fill="var(--roof)" d="M752 220l38-24h22v24zm48-46l38-26h46v26zm72-44l57-42 57 42zm186 44l-38-26h-46v26zm48 46l-38-24h-22v24z"/>
${WINDOWS.map(([x, y], at) => html`<path class="${lit.has(at) ? "lit" : "unlit"}" d="M${x - 9} ${y + 26}v-20a9 9 0 0 1 18 0v20z"/>`)}
<path class="${guests > 0 ? "lit" : "unlit"}" d="M915 330v-32a14 14 0 0 1 28 0v32z"/>
<path fill="var(--water)" d="M0 330h1200v70H0z"/>
${waves}
</svg>`;
}

/** Draws the sea and the sky. */
export function seaScene(sky: Sky): Html {
	return html`<svg class="scene" viewBox="0 250 1200 110" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
<defs>${gradient}</defs><path fill="url(#sky)" d="M0 250h1200v110H0z"/>
<circle cx="${Math.round(60 + sky.position * 1080)}" cy="${Math.round(322 - 40 * Math.sin(Math.PI * sky.position))}" r="17" fill="var(--orb)"/>
<path fill="var(--water)" d="M0 330h1200v70H0z"/>
${waves}
</svg>`;
}

const gradient = html`<linearGradient id="sky" x2="0" y2="1"><stop stop-color="var(--sky-high)"/><stop offset="1" stop-color="var(--sky-low)"/></linearGradient>`;

const waves = html`<g fill="none" stroke="var(--wave)" stroke-width="2" stroke-linecap="round"><path class="drift" d="M60 346h90m70 0h40m210 6h120m60 0h30m190-8h80m120 6h90m60 0h30"/><path class="drift back" d="M-20 368h120m160 4h60m90-2h150m200 0h40m100 4h140m90-4h120"/></g>`;

function background({ light, position }: Sky): Html {
	const x = Math.round(60 + position * 1080);
	const y = Math.round(250 - 190 * Math.sin(Math.PI * position));
	return html`<defs>${gradient}</defs><path fill="url(#sky)" d="M0 0h1200v330H0z"/>
${light === "night" && stars}<circle cx="${x}" cy="${y}" r="${light === "night" ? 22 : 30}" fill="var(--orb)"/>`;
}

const stars = html`<g fill="var(--orb)"><circle cx="90" cy="60" r="1.6"/><circle cx="190" cy="140" r="1.2"/><circle cx="260" cy="40" r="1.9"/><circle cx="345" cy="190" r="1.3"/><circle cx="420" cy="90" r="1.5"/><circle cx="520" cy="150" r="1.1"/><circle cx="600" cy="50" r="1.8"/><circle cx="700" cy="110" r="1.2"/><circle cx="770" cy="35" r="1.4"/><circle cx="1010" cy="60" r="1.7"/><circle cx="1100" cy="130" r="1.3"/><circle cx="1150" cy="40" r="1.5"/></g>`;

const SKIES =
	"#f6c89f #f2b5a7 #bcd9e8 #9fc6d8 #d9c7e3 #f5dca0 #b7d8c4 #8fa9cf".split(" ");
const SEAS =
	"#2f7f8d #3a6f98 #4d8f86 #51709f #296b76 #6b7fa8 #3f8f9f #2f5f7f".split(" ");
const ORBS = ["#fff6d8", "#fbe3a2", "#fffdf4", "#f9c7b0"];

/**
 * Draws the view from a window, which depends only on the id that it belongs to: the picture of an agent, a room, an
 * activity or an experience. Avatars are not loaded from their URLs, because other hosts would learn the addresses of
 * visitors.
 * @param id ends with a UUID, or is any other text
 */
export function windowView(id: string, classes = "view"): Html {
	// The last digits of a UUID of any version are random.
	const bits = /[0-9a-f]{8}$/.test(id)
		? Number.parseInt(id.slice(-8), 16)
		: Bun.hash.xxHash32(id);
	const take = (shift: number, count: number) => (bits >>> shift) % count;
	const sea = 30 + take(9, 8);
	const orb = { x: 8 + take(12, 25), y: 9 + take(17, 14), r: 3 + take(21, 4) };
	const hill = take(24, 4);
	return html`<svg class="${classes}" viewBox="0 0 40 48" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false"><path fill="${SKIES[take(0, 8)] ?? ""}" d="M0 0h40v48H0z"/><circle cx="${orb.x}" cy="${orb.y}" r="${orb.r}" fill="${ORBS[take(7, 4)] ?? ""}"/>${hill > 0 && html`<path fill="#5f7f74" d="M${hill * 8 - 8} ${sea}q9 -${5 + take(26, 8)} 20 0z"/>`}<path fill="${SEAS[take(3, 8)] ?? ""}" d="M0 ${sea}h40v20H0z"/><path fill="none" stroke="#fff" stroke-opacity=".55" d="M${4 + take(28, 8)} ${sea + 4}h9m4 4h8"/></svg>`;
}
