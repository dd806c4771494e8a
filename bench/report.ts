import { type Figures, median, medians } from "./load.ts";

/** Whether a goal is reached. */
export interface Verdict {
	readonly what: string;
	/** What was measured, and what it should be. */
	readonly reached: string;
	readonly goal: string;
	/** Null when it could not be measured. */
	readonly isReached: boolean | null;
}

/** The same load on two servers, in turns: each round has one run on each of them. */
export interface Pair {
	/** What is loaded, such as `lobby`. */
	readonly what: string;
	readonly ours: readonly Figures[];
	readonly theirs: readonly Figures[];
	/** The ratio that should be reached at least; null if there is none. */
	readonly goal: number | null;
}

/** Prints a table: the first column is words, the others are figures. */
export function printTable(
	title: string,
	head: readonly string[],
	rows: readonly (readonly string[])[],
): void {
	const lines = [head, ...rows];
	const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
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
 * Like {@link printFigures}, for loads that share a server at the same time, so that their processor time
 * cannot be distinguished. Prints the median latency instead.
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

/**
 * Prints the figures of some pairs, and how many times as fast as the other server the resort is: by
 * processor time, which hardly depends on what else the machine does, and by requests a second. Each ratio is
 * the median of the rounds' ratios. The ratio by processor time is compared with the goal.
 * @param against the name of the other server
 */
export function compare(title: string, against: string, pairs: readonly Pair[]): Verdict[] {
	printFigures(
		title,
		pairs.flatMap(({ what, ours, theirs }) => [
			[what, medians(ours)],
			["  beside", medians(theirs)],
		]),
	);
	const rows = pairs.map(({ what, ours, theirs, goal }) => {
		const ratios = (of: (ours: Figures, theirs: Figures) => number) =>
			ours.flatMap((run, round) => {
				const other = theirs[round];
				return other === undefined ? [] : of(run, other);
			});
		const byProcessor = ratios((a, b) => b.processorUs / a.processorUs);
		const byRequests = ratios((a, b) => a.perSecond / b.perSecond);
		const ratio = median(byProcessor);
		const verdict: Verdict | null =
			goal === null
				? null
				: {
						what: `${what} : ${against}`,
						reached: `${ratio.toFixed(2)} x`,
						goal: `>= ${goal} x`,
						isReached: ratio >= goal,
					};
		return { what, verdict, byProcessor, byRequests };
	});
	printTable(
		`${title}, resort : ${against}`,
		["", "by processor", "spread", "by requests", "spread", "goal", "verdict"],
		rows.map(({ what, verdict, byProcessor, byRequests }) => [
			what,
			median(byProcessor).toFixed(2),
			spread(byProcessor),
			median(byRequests).toFixed(2),
			spread(byRequests),
			verdict?.goal ?? "",
			verdict === null ? "" : word(verdict),
		]),
	);
	return rows.flatMap(({ verdict }) => verdict ?? []);
}

function spread(ratios: readonly number[]): string {
	return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}

/** A goal that must not be passed, such as a time. */
export function atMost(what: string, reached: number, goal: number, unit: string): Verdict {
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
		verdicts.map((verdict) => [verdict.what, verdict.reached, verdict.goal, word(verdict)]),
	);
}

function word({ isReached }: Verdict): string {
	if (isReached === null) return "not measured";
	return isReached ? "reached" : "missed";
}

function percent(share: number): string {
	return `${(share * 100).toFixed(0)} %`;
}
