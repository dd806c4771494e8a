import { join } from "node:path";
import { compile } from "../../scripts/compile.ts";
import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import type { Result } from "../goals.ts";
import { readIds } from "../guests.ts";
import { inTurns, median } from "../load.ts";
import { type Running, serve, start as startServer, threadsMs } from "../process.ts";
import { compare, printTable } from "../report.ts";

/** The number of starts in a round. A start is short, so one per round would be too few. */
const STARTS_A_ROUND = 5;

interface Start {
	readonly readyMs: number;
	readonly answeredMs: number;
	/** The processor time until then, on which other processes have little effect. */
	readonly processorMs: number;
}

/**
 * Measures the time from the start of the process to the ready line and to the first response. The pages of
 * the executable are already in memory.
 */
export async function start({ rounds, folder, ...bench }: Bench): Promise<Result[]> {
	const bare = join(folder, "bare");
	await compile(bare, undefined, "bench/servers/constant.ts");
	const database = await bench.database(sizes.usual);
	const [id] = readIds(database, "agents LIMIT 1");
	const cases = [
		() => measure([...serve, "--database", database], `/api/agents/${id}/status`),
		() => measure([bare], "/"),
	];
	for (const once of cases) await once();
	const [ours = [], theirs = []] = await inTurns(cases, rounds * STARTS_A_ROUND, (once) => once());
	const row = (name: string, starts: readonly Start[]) => {
		const of = (read: (one: Start) => number) => median(starts.map(read)).toFixed(1);
		return [name, of((one) => one.readyMs), of((one) => one.answeredMs), of((one) => one.processorMs)];
	};
	printTable(
		`start, ms, medians of ${ours.length}`,
		["", "to ready line", "to first answer", "processor"],
		[row(`resort, ${sizes.usual.agents} agents`, ours), row("bare server, compiled", theirs)],
	);
	const ratios = (of: keyof Start) => compare({ ours, theirs }, (one, other) => one[of] / other[of]);
	return [
		{ goal: "start", figures: ratios("processorMs") },
		{ goal: "startTime", figures: ratios("answeredMs") },
	];
}

async function measure(command: readonly string[], path: string): Promise<Start> {
	const startedAt = performance.now();
	const server: Running = await startServer(command);
	const readyMs = performance.now() - startedAt;
	const response = await fetch(server.url + path);
	await response.text();
	const answeredMs = performance.now() - startedAt;
	const processorMs = threadsMs(server.pid);
	await server.stop();
	if (!response.ok) throw new Error(`${path}: ${response.status}`);
	return { readyMs, answeredMs, processorMs };
}
