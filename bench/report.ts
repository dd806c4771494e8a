import type { Figures } from "./load.ts";

/** Whether a goal is reached. */
export interface Verdict {
	readonly what: string;
	/** What was measured, and what it should be. */
	readonly reached: string;
	readonly goal: string;
	/** Null when it could not be measured. */
	readonly isReached: boolean | null;
}

/** What a server is measured against. */
export interface Comparison {
	/** What is compared, such as `GET /api/lobby`. */
	readonly what: string;
	/** With which server. */
	readonly against: string;
	readonly ours: Figures;
	readonly theirs: Figures;
	/** How many times as fast as the other server the resort should be at least. */
	readonly goal: number;
	/** Which of the two ratios decides. */
	readonly by: "requests" | "processor";
}

/** Prints a table: the first column is words, the others are figures. */
export function printTable(
	title: string,
	head: readonly string[],
	rows: readonly (readonly string[])[],
): void {
	const lines = [head, ...rows];
	const widths = head.map((_, column) =>
		Math.max(...lines.map((line) => line[column]?.length ?? 0)),
	);
	const text = lines.map((line) =>
		line
			.map((cell, column) => {
				const width = widths[column] ?? 0;
				return column === 0 ? cell.padEnd(width) : cell.padStart(width + 2);
			})
			.join("")
			.trimEnd(),
	);
	process.stdout.write(`\n${title}\n  ${text.join("\n  ")}\n`);
}

/** Prints what servers under load came to, one a line. */
export function printFigures(
	title: string,
	rows: readonly (readonly [name: string, figures: Figures])[],
): void {
	printTable(
		title,
		["", "requests/s", "us a request", "server", "wrk", "p99", "failed"],
		rows.map(([name, figures]) => [
			name,
			figures.perSecond.toFixed(0),
			figures.processorUs.toFixed(1),
			percent(figures.serverBusy),
			percent(figures.wrkBusy),
			`${figures.p99Ms.toFixed(2)} ms`,
			String(figures.failed),
		]),
	);
}

/**
 * The same for loads that share one server at a time, whose processor time cannot be told apart; with the
 * time in which half of the answers came.
 */
export function printLatencies(
	title: string,
	rows: readonly (readonly [name: string, figures: Figures])[],
): void {
	printTable(
		title,
		["", "requests/s", "p50", "p99", "failed"],
		rows.map(([name, figures]) => [
			name,
			figures.perSecond.toFixed(0),
			`${figures.p50Ms.toFixed(2)} ms`,
			`${figures.p99Ms.toFixed(2)} ms`,
			String(figures.failed),
		]),
	);
}

/** Prints both ratios of each comparison, and judges by the one that is asked for. */
export function judge(comparisons: readonly Comparison[]): Verdict[] {
	const rows = comparisons.map((comparison) => {
		const { what, against, ours, theirs, goal, by } = comparison;
		const byRequests = ours.perSecond / theirs.perSecond;
		const byProcessor = theirs.processorUs / ours.processorUs;
		const ratio = by === "requests" ? byRequests : byProcessor;
		return {
			byRequests,
			byProcessor,
			verdict: {
				what: `${what} : ${against}`,
				reached: `${ratio.toFixed(2)} x by ${by}`,
				goal: `>= ${goal} x`,
				isReached: ratio >= goal,
			},
		};
	});
	printTable(
		"ratios, resort : other",
		["", "by requests", "by processor", "goal", "decides", "verdict"],
		rows.map(({ byRequests, byProcessor, verdict }, row) => [
			verdict.what,
			byRequests.toFixed(2),
			byProcessor.toFixed(2),
			verdict.goal,
			comparisons[row]?.by ?? "",
			word(verdict),
		]),
	);
	return rows.map(({ verdict }) => verdict);
}

/** A goal that must not be passed, such as a time. */
export function atMost(
	what: string,
	reached: number,
	goal: number,
	unit: string,
): Verdict {
	return {
		what,
		reached: `${reached.toFixed(2)} ${unit}`,
		goal: `<= ${goal} ${unit}`,
		isReached: reached <= goal,
	};
}

/** Prints all verdicts once more, at the end. */
export function printVerdicts(verdicts: readonly Verdict[]): void {
	printTable(
		"goals",
		["", "reached", "goal", "verdict"],
		verdicts.map((verdict) => [
			verdict.what,
			verdict.reached,
			verdict.goal,
			word(verdict),
		]),
	);
}

function word({ isReached }: Verdict): string {
	if (isReached === null) return "not measured";
	return isReached ? "reached" : "missed";
}

function percent(share: number): string {
	return `${(share * 100).toFixed(0)} %`;
}
