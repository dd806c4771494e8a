const WIDTH = 720;
const PANEL = 150;
const GAP = 44;
const LEFT = 64;
const RIGHT = 110;

/** A curve of a panel: a value for each moment. */
export interface Curve {
	readonly name: string;
	readonly values: readonly number[];
}

/** Curves on one scale. */
export interface Panel {
	/** What is measured, with its unit. */
	readonly title: string;
	readonly curves: readonly Curve[];
}

/**
 * Draws panels one below the other, with one axis of time; readable on light and dark ground.
 * @param minutes when each value was measured
 * @returns an SVG document
 */
export function plot(
	title: string,
	minutes: readonly number[],
	panels: readonly Panel[],
): string {
	const height = GAP + panels.length * (PANEL + GAP) + 16;
	const last = minutes.at(-1) ?? 1;
	const x = (minute: number) => LEFT + (minute / last) * (WIDTH - LEFT - RIGHT);
	const drawn = panels.map((panel, at) =>
		draw(panel, GAP + at * (PANEL + GAP), minutes.map(x)),
	);
	const bottom = height - GAP - 16;
	const times = [0, 0.25, 0.5, 0.75, 1].map((share) =>
		text(x(share * last), bottom + 16, (share * last).toFixed(1), "middle"),
	);
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>
svg { background: #fff; font: 12px sans-serif } text { fill: #222 } .axis { stroke: #777; fill: none }
.c0 { stroke: #0b63b5 } .c1 { stroke: #b5480b } polyline { fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
svg { background: #15171a } text { fill: #ddd } .c0 { stroke: #6cb2f5 } .c1 { stroke: #f5a06c }
}
</style>
${text(LEFT, 18, title, "start")}
${drawn.join("\n")}
${times.join("\n")}
${text((LEFT + WIDTH - RIGHT) / 2, bottom + 34, "minutes", "middle")}
</svg>
`;
}

function draw(
	{ title, curves }: Panel,
	top: number,
	xs: readonly number[],
): string {
	const most = Math.max(...curves.flatMap(({ values }) => values)) * 1.1;
	const y = (value: number) => top + PANEL - (value / most) * PANEL;
	const lines = curves.map(({ name, values }, at) => {
		const points = values.map(
			(value, index) => `${(xs[index] ?? 0).toFixed(1)},${y(value).toFixed(1)}`,
		);
		const end = y(values.at(-1) ?? 0);
		return `<polyline class="c${at}" points="${points.join(" ")}"/>
${text(WIDTH - RIGHT + 6, end + 4, name, "start")}`;
	});
	const scale = [0, most / 2, most].map((value) =>
		text(LEFT - 6, y(value) + 4, rounded(value), "end"),
	);
	return `${text(LEFT, top - 6, title, "start")}
<path class="axis" d="M${LEFT},${top}V${top + PANEL}H${WIDTH - RIGHT}"/>
${scale.join("\n")}
${lines.join("\n")}`;
}

function rounded(value: number): string {
	return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function text(x: number, y: number, words: string, anchor: string): string {
	return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
}
