/** Charts of the host's page. The pictures are stretched, which would distort text, so they contain none. */
import { DAY_MS, HOUR_MS, startOfDayMs, toTimestamp } from "../../../core/lib/clock.ts";
import { formatNumber } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";

/** A bar of a chart. `atMs` is in milliseconds since the epoch. `value` is null if it is not known. */
export interface Bar {
	readonly atMs: number;
	readonly value: number | null;
}

/** A chart with the numbers of each day or each hour. */
export interface Chart {
	readonly title: string;
	/** The bars at regular intervals, oldest first. */
	readonly bars: readonly Bar[];
	/** Formats a value; by default as a number. */
	readonly format?: (value: number) => string;
}

const HEIGHT = 100;

/** The height of a bar whose value is not known. */
const HOLE = 3;

/** The width of a bar and of the gap to the next one. */
const BAR = 8;
const GAP = 2;

/** Returns a chart by day, with its numbers as a table. */
export function dayChart({ title, bars, format = formatNumber }: Chart): Html {
	const rows = bars.map(
		({ atMs, value }) =>
			html`<tr><th scope="row">${dayName(atMs)}</th><td>${value === null ? "not known" : format(value)}</td></tr>`,
	);
	const head = html`<tr><th scope="col">Day</th><th scope="col">${title}</th></tr>`;
	const labels = [bars[0], bars.at(-1)].flatMap((bar) =>
		// The beginning of, for example, `Sat, 28 Nov 2026 00:00:00 GMT`.
		bar === undefined ? [] : new Date(bar.atMs).toUTCString().slice(0, 11).replace(",", ""),
	);
	return figure({ title, bars, format, nameOf: dayName, labels, slots: bars.length, head, rows });
}

/** Returns a chart by hour, with its numbers as a table that has one row for each day. */
export function hourChart({ title, bars, format = formatNumber }: Chart): Html {
	const days = [...Map.groupBy(bars, ({ atMs }) => startOfDayMs(atMs))];
	const hours = Array.from({ length: DAY_MS / HOUR_MS }, (_, hour) => hour);
	const rows = days.map(([dayMs, ofDay]) => {
		const cells = hours.map((hour) => {
			const bar = ofDay.find(({ atMs }) => atMs === dayMs + hour * HOUR_MS);
			return html`<td data-head="${twoDigits(hour)}">${bar === undefined ? "" : bar.value === null ? "?" : format(bar.value)}</td>`;
		});
		return html`<tr><th scope="row">${dayName(dayMs)}</th>${cells}</tr>`;
	});
	const heads = hours.map((hour) => html`<th scope="col">${twoDigits(hour)}</th>`);
	const head = html`<tr><th scope="col">Day, hour</th>${heads}</tr>`;
	const labels = days.map(([dayMs]) => dayName(dayMs).replace(/ \d{4}-\d\d-/, " "));
	const slots = days.length * hours.length;
	return figure({ title, bars, format, nameOf: hourName, labels, slots, head, rows, hasNow: true });
}

interface Figure extends Required<Chart> {
	/** Formats the time of a bar. */
	readonly nameOf: (timeMs: number) => string;
	/** The days that are written below the chart, at equal distances. */
	readonly labels: readonly string[];
	/** The number of bars for which to leave room: in a chart by hour, the last day may still lack hours. */
	readonly slots: number;
	/** Whether to mark the end of the bars as the present. */
	readonly hasNow?: boolean;
	/** The head and the rows of the table with the numbers. */
	readonly head: Html;
	readonly rows: readonly Html[];
}

function figure({ title, bars, format, nameOf, labels, slots, head, rows, hasNow = false }: Figure): Html {
	const highest = bars.reduce<Bar | null>(
		(best, bar) => (bar.value !== null && bar.value > (best?.value ?? 0) ? bar : best),
		null,
	);
	const most = highest?.value ?? 0;
	const width = slots * (BAR + GAP);
	const rects = bars.map(({ atMs, value }, at) => {
		const height = value === null ? HOLE : Math.round((value / Math.max(most, 1)) * HEIGHT * 100) / 100;
		const what = value === null ? "not known" : format(value);
		const isHole = value === null && html` class="hole"`;
		return html`<rect${isHole} x="${at * (BAR + GAP)}" y="${HEIGHT - height}" width="${BAR}" height="${height}"><title>${nameOf(atMs)}: ${what}</title></rect>`;
	});
	const summary = highest === null ? "None." : `Most: ${format(most)}, ${nameOf(highest.atMs)}.`;
	const now =
		hasNow &&
		html`<rect class="now" x="${bars.length * (BAR + GAP) - GAP}" width="${GAP}" height="${HEIGHT}"/>`;
	return html`<figure class="chart"><figcaption><strong>${title} (UTC)</strong> <span class="soft">${summary}</span></figcaption>
<p class="scale" aria-hidden="true">${highest !== null && format(most)}${hasNow && html` <span class="now">now</span>`}</p>
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${rects}${now}</svg>
<ul class="days" aria-hidden="true">${labels.map((label) => html`<li>${label}</li>`)}</ul>
<details><summary>The numbers<span class="unseen"> of ${title}</span></summary><table aria-label="${title}"><thead>${head}</thead><tbody>${rows}</tbody></table></details></figure>
`;
}

const twoDigits = (hour: number) => String(hour).padStart(2, "0");

/** Returns a day (UTC) such as `Sat 2026-11-28`. */
function dayName(timeMs: number): string {
	return `${new Date(timeMs).toUTCString().slice(0, 3)} ${toTimestamp(timeMs).slice(0, 10)}`;
}

/** Returns an hour (UTC) such as `Sat 2026-11-28 21:00`. */
function hourName(timeMs: number): string {
	return `${dayName(timeMs)} ${toTimestamp(timeMs).slice(11, 16)}`;
}
