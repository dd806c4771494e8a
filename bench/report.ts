import { type Goal, goals, type Result } from "./goals.ts";
import { type Figures, median, medians } from "./load.ts";

/** The results of the same load on two servers. Each round has one run for each server. */
export interface Pair {
	/** The name of the load, such as `lobby`. */
	readonly what: string;
	readonly ours: readonly Figures[];
	readonly theirs: readonly Figures[];
}

/** Prints a table. The first column contains words, the others contain figures. */
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

/** Prints pairs with the ratios of {@link byProcessor} and {@link byRate}. */
export function printPairs(title: string, against: string, pairs: readonly Pair[]): void {
	printTable(
		title,
		["", "us a request", against, "ratio", "spread", "requests/s", against, "ratio", "spread", "failed"],
		pairs.map((pair) => {
			const [ours, theirs] = [medians(pair.ours), medians(pair.theirs)];
			return [
				pair.what,
				ours.processorUs.toFixed(1),
				theirs.processorUs.toFixed(1),
				median(byProcessor(pair)).toFixed(2),
				spread(byProcessor(pair)),
				ours.perSecond.toFixed(0),
				theirs.perSecond.toFixed(0),
				median(byRate(pair)).toFixed(2),
				spread(byRate(pair)),
				String(ours.failed + theirs.failed),
			];
		}),
	);
}

/**
 * Returns for each round the processor time per request of the other server, divided by that of the resort.
 */
export function byProcessor(pair: Pair): number[] {
	return compare(pair, (ours, theirs) => theirs.processorUs / ours.processorUs);
}

/** Returns for each round the requests per second of the resort, divided by those of the other server. */
export function byRate(pair: Pair): number[] {
	return compare(pair, (ours, theirs) => ours.perSecond / theirs.perSecond);
}

/** Returns the result of a comparison of the two runs for each round. */
export function compare<T>(
	{ ours, theirs }: { readonly ours: readonly T[]; readonly theirs: readonly T[] },
	of: (ours: T, theirs: T) => number,
): number[] {
	return ours.flatMap((run, round) => {
		const other = theirs[round];
		return other === undefined ? [] : of(run, other);
	});
}

/** Prints the goals of some parts and the measured figures. */
export function printGoals(parts: readonly string[], results: readonly Result[]): void {
	const lines = Object.entries(goals).flatMap(([name, goal]) => {
		if (!parts.includes(goal.part)) return [];
		const found = results.filter((result) => result.goal === name);
		if (found.length === 0) return [[goal.row, bound(goal), "", "", "not measured", goal.compared]];
		return found.map(({ of, figures }) => {
			const figure = median(figures);
			return [
				of === undefined ? goal.row : `${goal.row}: ${of}`,
				bound(goal),
				`${figure.toFixed(goal.unit === "x" ? 2 : 0)} ${goal.unit}`,
				spread(figures),
				isHeld(goal, figure) ? "held" : "missed",
				goal.compared,
			];
		});
	});
	printTable("goals", ["row", "goal", "figure", "spread", "", "compared"], lines);
}

/** Returns whether a figure reaches the goal. */
export function isHeld({ bound, value }: Goal, figure: number): boolean {
	return bound === "at least" ? figure >= value : figure <= value;
}

function bound({ bound, value, unit }: Goal): string {
	return `${bound} ${value} ${unit}`;
}

/** Returns the smallest and the largest figure as text. */
export function spread(figures: readonly number[]): string {
	const digits = Math.max(...figures.map(Math.abs)) >= 20 ? 0 : 2;
	return `${Math.min(...figures).toFixed(digits)} to ${Math.max(...figures).toFixed(digits)}`;
}
