import { type Html, html } from "../lib/html.ts";
import type { Sky } from "./light.ts";

/** The windows of the house that are seen from the sea: rows from the roof down. */
const WINDOWS: readonly (readonly [x: number, y: number])[] = [
	...[905, 953].map((x): [number, number] => [x, 142]),
	...[833, 881, 929, 977, 1025].map((x): [number, number] => [x, 188]),
	...[785, 833, 881, 929, 977, 1025, 1073].map((x): [number, number] => [
		x,
		234,
	]),
	...[785, 833, 881, 977, 1025, 1073].map((x): [number, number] => [x, 280]),
];

/** How many windows are lit at most. */
const MOST_LIT = WINDOWS.length;

/** In which order the windows are lit: a step that meets each of them once. */
const STEP = 7;

/** The house by the sea: a window is lit for each guest, as far as there are windows. */
export function houseScene(sky: Sky, guests: number): Html {
	const lit = new Set(
		Array.from(
			{ length: Math.min(guests, MOST_LIT) },
			(_, at) => (at * STEP + 3) % MOST_LIT,
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

/** The sea and the sky alone, over all other pages. */
export function seaScene(sky: Sky): Html {
	return html`<svg class="scene" viewBox="0 250 1200 110" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
<defs>${gradient}</defs><path fill="url(#sky)" d="M0 250h1200v110H0z"/>
<circle cx="${Math.round(60 + sky.way * 1080)}" cy="${Math.round(322 - 40 * Math.sin(Math.PI * sky.way))}" r="17" fill="var(--orb)"/>
<path fill="var(--water)" d="M0 330h1200v70H0z"/>
${waves}
</svg>`;
}

const gradient = html`<linearGradient id="sky" x2="0" y2="1"><stop stop-color="var(--sky-high)"/><stop offset="1" stop-color="var(--sky-low)"/></linearGradient>`;

const waves = html`<g fill="none" stroke="var(--wave)" stroke-width="2" stroke-linecap="round"><path class="drift" d="M60 346h90m70 0h40m210 6h120m60 0h30m190-8h80m120 6h90m60 0h30"/><path class="drift back" d="M-20 368h120m160 4h60m90-2h150m200 0h40m100 4h140m90-4h120"/></g>`;

function background({ light, way }: Sky): Html {
	const x = Math.round(60 + way * 1080);
	const y = Math.round(250 - 190 * Math.sin(Math.PI * way));
	return html`<defs>${gradient}</defs><path fill="url(#sky)" d="M0 0h1200v330H0z"/>
${light === "night" && stars}<circle cx="${x}" cy="${y}" r="${light === "night" ? 22 : 30}" fill="var(--orb)"/>`;
}

const stars = html`<g fill="var(--orb)"><circle cx="90" cy="60" r="1.6"/><circle cx="190" cy="140" r="1.2"/><circle cx="260" cy="40" r="1.9"/><circle cx="345" cy="190" r="1.3"/><circle cx="420" cy="90" r="1.5"/><circle cx="520" cy="150" r="1.1"/><circle cx="600" cy="50" r="1.8"/><circle cx="700" cy="110" r="1.2"/><circle cx="770" cy="35" r="1.4"/><circle cx="1010" cy="60" r="1.7"/><circle cx="1100" cy="130" r="1.3"/><circle cx="1150" cy="40" r="1.5"/></g>`;
