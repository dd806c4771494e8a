import { type Html, html } from "../lib/html.ts";

/** The skies, seas and lights that a view from a window may have: each is told apart by its colours alone. */
const SKIES = [
	"#f6c89f",
	"#f2b5a7",
	"#bcd9e8",
	"#9fc6d8",
	"#d9c7e3",
	"#f5dca0",
	"#b7d8c4",
	"#8fa9cf",
];
const SEAS = [
	"#2f7f8d",
	"#3a6f98",
	"#4d8f86",
	"#51709f",
	"#296b76",
	"#6b7fa8",
	"#3f8f9f",
	"#2f5f7f",
];
const ORBS = ["#fff6d8", "#fbe3a2", "#fffdf4", "#f9c7b0"];

/**
 * What a guest sees from its window, drawn from its id: the resort loads no picture from elsewhere, as that would tell
 * the visitors' addresses there.
 * @param id a UUID
 * @param kind classes of the picture
 */
export function viewOf(id: string, kind = "view"): Html {
	// The last digits of a UUID of any version are random.
	const bits = Number.parseInt(id.slice(-8), 16) || 0;
	const take = (shift: number, count: number) => (bits >>> shift) % count;
	const sea = 30 + take(9, 8);
	const orb = { x: 8 + take(12, 25), y: 9 + take(17, 14), r: 3 + take(21, 4) };
	const hill = take(24, 4);
	return html`<svg class="${kind}" viewBox="0 0 40 48" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false"><path fill="${SKIES[take(0, 8)] ?? ""}" d="M0 0h40v48H0z"/><circle cx="${orb.x}" cy="${orb.y}" r="${orb.r}" fill="${ORBS[take(7, 4)] ?? ""}"/>${hill > 0 && html`<path fill="#5f7f74" d="M${hill * 8 - 8} ${sea}q9 -${5 + take(26, 8)} 20 0z"/>`}<path fill="${SEAS[take(3, 8)] ?? ""}" d="M0 ${sea}h40v20H0z"/><path fill="none" stroke="#fff" stroke-opacity=".55" d="M${4 + take(28, 8)} ${sea + 4}h9m4 4h8"/></svg>`;
}
