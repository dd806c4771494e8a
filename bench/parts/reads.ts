import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { inTurns, load, medians } from "../load.ts";
import { startBare, startResort } from "../process.ts";
import {
	type Comparison,
	judge,
	printFigures,
	type Verdict,
} from "../report.ts";

const GOAL = 0.82;

const paths = [
	"/api/lobby",
	"/api/experiences",
	"/api/experiences/leaderboard",
	"/api/postcards",
	"/api/activities",
	"/api/skill",
	"/openapi.json",
];

/** Lists and documents, each beside a bare server with the same answer as a constant. */
export async function reads({ options, ...bench }: Bench): Promise<Verdict[]> {
	const { seconds, rounds } = options;
	const { database } = await bench.database(options.main);
	const resort = await startResort(database);
	const comparisons: Comparison[] = [];
	const figures: Parameters<typeof printFigures>[1][number][] = [];
	for (const path of paths) {
		const response = await fetch(resort.url + path);
		const answer = join(bench.folder, "answer");
		const bytes = await Bun.write(answer, await response.text());
		const type = response.headers.get("content-type") ?? "";
		const bare = await startBare("constant", answer, type);
		const [ours, theirs] = (
			await inTurns([resort, bare], rounds, (server) =>
				load({ server, path, seconds }),
			)
		).map(medians);
		await bare.stop();
		if (ours === undefined || theirs === undefined) continue;
		const size = `${(bytes / 1024).toFixed(1)} KiB`;
		figures.push([`${path}, ${size}`, ours], [`  bare, ${size}`, theirs]);
		comparisons.push({
			what: path,
			against: "bare",
			ours,
			theirs,
			goal: GOAL,
			by: "processor",
		});
	}
	await resort.stop();
	printFigures(`lists and documents, ${options.main.guests} guests`, figures);
	return judge(comparisons);
}
