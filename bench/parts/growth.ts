import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { loadInTurns, medians } from "../load.ts";
import { startResort } from "../process.ts";
import { atMost, printFigures, type Verdict } from "../report.ts";
import { warm } from "../warm.ts";

const MOST_TIMES = 1.2;

/** How many agents are asked for; fewer than have ready answers. */
const ASKED = 50_000;

/**
 * What a status costs in a small and in a large community, of which the same number of agents are asked for. The
 * load generator holds all ids, and shares the processor's caches with the server: so the small community's ids are
 * repeated to the length of the others.
 */
export async function growth(bench: Bench): Promise<Verdict[]> {
	const { small, large, seconds, rounds } = bench.options;
	const few = await bench.database(small);
	const many = await bench.database(large);
	const fewIds = join(bench.folder, "few.ids");
	const times = Math.ceil(ASKED / small.agents);
	await Bun.write(fewIds, (await Bun.file(few.ids).text()).repeat(times));
	const manyIds = join(bench.folder, "many.ids");
	const lines = (await Bun.file(many.ids).text()).split("\n");
	await Bun.write(manyIds, `${lines.slice(0, ASKED).join("\n")}\n`);
	const [smallResort, largeResort] = [
		await startResort(few.database),
		await startResort(many.database),
	];
	await warm(smallResort, few.ids);
	await warm(largeResort, manyIds);
	const [before, after] = (
		await loadInTurns(
			[
				{ server: smallResort, seconds, script: ["status", fewIds] },
				{ server: largeResort, seconds, script: ["status", manyIds] },
			],
			rounds,
		)
	).map(medians);
	await Promise.all([smallResort.stop(), largeResort.stop()]);
	if (!before || !after) return [];
	printFigures("GET status, random ids", [
		[`${small.agents} agents`, before],
		[`${ASKED} of ${large.agents} agents`, after],
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
