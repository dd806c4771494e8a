/** A command and its output. */
export interface TerminalStep {
	readonly command: string;
	readonly output: string;
}

const COLUMNS = 92;
const ROWS = 22;
const LINE_HEIGHT = 20;
const MARGIN = 20;
const TITLE_HEIGHT = 32;
const WIDTH = 800;
const VIEW_HEIGHT = ROWS * LINE_HEIGHT;

/** The time until the next step appears and, after the last step, until the animation restarts. */
const STEP_SECONDS = 3;
const LAST_SECONDS = 6;

/**
 * Draws a session at a terminal as an animated SVG: the steps appear one after the other, and the text
 * scrolls. Viewers that do not animate, and readers who prefer reduced motion, see the end of the session.
 * @returns the same text for the same steps
 */
export function terminalSvg(title: string, steps: readonly TerminalStep[]) {
	const seconds = (steps.length - 1) * STEP_SECONDS + LAST_SECONDS;
	let row = 0;
	let groups = "";
	let styles = "";
	let scrolls = "";
	let offset = 0;
	for (const [index, { command, output }] of steps.entries()) {
		const lines = [
			`<tspan class="prompt">$</tspan> <tspan class="command">${escapeXml(command)}</tspan>`,
			...wrap(output).map(escapeXml),
			"",
		];
		const texts = lines.map((line) => {
			row += 1;
			return `<text y="${row * LINE_HEIGHT - 5}">${line}</text>`;
		});
		const start = percentOf(index * STEP_SECONDS, seconds);
		if (index > 0) {
			styles += `@keyframes s${index}{0%,${start - 0.01}%{opacity:0}${start}%,100%{opacity:1}}.s${index}{animation:s${index} ${seconds}s infinite}`;
			scrolls += `${start - 0.01}%{transform:translateY(${-offset}px)}`;
		}
		offset = Math.max(0, row * LINE_HEIGHT - VIEW_HEIGHT);
		scrolls += `${start}%{transform:translateY(${-offset}px)}`;
		groups += `<g class="s${index}">${texts.join("")}</g>`;
	}
	scrolls += `100%{transform:translateY(${-offset}px)}`;
	const height = TITLE_HEIGHT + VIEW_HEIGHT + 2 * MARGIN;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>text{font:13px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d6e2;white-space:pre}.title{fill:#8fa3b5}.prompt{fill:#f2b950}.command{fill:#fff;font-weight:600}.all{transform:translateY(${-offset}px)}
@media (prefers-reduced-motion:no-preference){@keyframes scroll{${scrolls}}.all{animation:scroll ${seconds}s infinite}${styles}}</style>
<rect width="${WIDTH}" height="${height}" rx="10" fill="#14222f"/>
<g fill="#5b7083"><circle cx="22" cy="17" r="5"/><circle cx="40" cy="17" r="5"/><circle cx="58" cy="17" r="5"/></g>
<text class="title" x="${WIDTH / 2}" y="22" text-anchor="middle">${escapeXml(title)}</text>
<svg aria-hidden="true" x="${MARGIN}" y="${TITLE_HEIGHT + MARGIN}" width="${WIDTH - 2 * MARGIN}" height="${VIEW_HEIGHT}"><g class="all">${groups}</g></svg>
</svg>
`;
}

function percentOf(part: number, whole: number): number {
	return Math.round((part / whole) * 10_000) / 100;
}

/** Breaks long lines between words; the rest of a line is indented like its start. */
function wrap(text: string): string[] {
	return text.split("\n").flatMap((line) => {
		const indent = /^ */.exec(line)?.[0] ?? "";
		const lines: string[] = [];
		let current = indent;
		for (const word of line.trim().split(" ")) {
			const isFirst = current === indent;
			if (!isFirst && current.length + 1 + word.length > COLUMNS) {
				lines.push(current);
				current = `${indent}  ${word}`;
			} else {
				current += isFirst ? word : ` ${word}`;
			}
		}
		return [...lines, current];
	});
}

function escapeXml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
