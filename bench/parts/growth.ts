import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { loadInTurns } from "../load.ts";
import { startResort } from "../process.ts";
import { atMost, printFigures, type Verdict } from "../report.ts";
import { warm } from "../warm.ts";

const MOST_TIMES = 1.2;

/**
 * What a status costs in a small and in a large community. The load generator holds all ids, and shares the
 * processor's caches with the server: so the small community's ids are repeated to the length of the others.
 */
export async function growth(bench: Bench): Promise<Verdict[]> {
	const { small, large, seconds, rounds } = bench.options;
	const few = await bench.database(small);
	const many = await bench.database(large);
	const fewRepeated = join(bench.folder, "repeated.ids");
	const times = Math.ceil(large.agents / small.agents);
	await Bun.write(fewRepeated, (await Bun.file(few.ids).text()).repeat(times));
	const [smallResort, largeResort] = [
		await startResort(few.database),
		await startResort(many.database),
	];
	await warm(smallResort, few.ids);
	await warm(largeResort, many.ids);
	const [before, after] = await loadInTurns(
		[
			{ server: smallResort, seconds, script: ["status", fewRepeated] },
			{ server: largeResort, seconds, script: ["status", many.ids] },
		],
		rounds,
	);
	await Promise.all([smallResort.stop(), largeResort.stop()]);
	if (!before || !after) return [];
	printFigures("GET status, random ids", [
		[`${small.agents} agents`, before],
		[`${large.agents} agents`, after],
	]);
	return [
		atMost(
			`processor time of a status, ${large.agents} agents to ${small.agents}`,
			after.processorUs / before.processorUs,
			MOST_TIMES,
			"x",
		),
	];
}
