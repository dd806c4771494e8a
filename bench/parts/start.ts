import { join } from "node:path";
import { compile } from "../../scripts/compile.ts";
import type { Bench } from "../bench.ts";
import { inTurns, median } from "../load.ts";
import { executable, start, threadsMs } from "../process.ts";
import { atMost, printTable, type Verdict } from "../report.ts";

const MOST_TIMES = 3;

/** Starts are short, so that there are more of them than of other runs. */
const STARTS_A_ROUND = 5;

interface Start {
	readonly readyMs: number;
	readonly answeredMs: number;
	/** Processor time until then, which a busy machine hardly changes. */
	readonly processorMs: number;
}

/** From the start of the process to the ready line and to the first answer, the file's pages in memory. */
export async function starting(bench: Bench): Promise<Verdict[]> {
	const { large, rounds } = bench.options;
	const bare = join(bench.folder, "bare");
	await compile(bare, undefined, "bench/servers/constant.ts");
	const { database } = await bench.database(large);
	const serve = [executable, "serve", "--log-level", "warning", "--port", "0"];
	const commands = [
		[bare],
		[...serve, "--database", ":memory:"],
		[...serve, "--database", database],
	];
	for (const command of commands) await measure(command);
	const [plain, inMemory, onFile] = (
		await inTurns(commands, rounds * STARTS_A_ROUND, measure)
	).map(
		(starts): Start => ({
			readyMs: median(starts.map(({ readyMs }) => readyMs)),
			answeredMs: median(starts.map(({ answeredMs }) => answeredMs)),
			processorMs: median(starts.map(({ processorMs }) => processorMs)),
		}),
	);
	if (!plain || !inMemory || !onFile) return [];
	const runs = Array.from({ length: rounds * STARTS_A_ROUND }, timeVersion);
	const row = (name: string, { readyMs, answeredMs, processorMs }: Start) => [
		name,
		readyMs.toFixed(1),
		(answeredMs - readyMs).toFixed(1),
		answeredMs.toFixed(1),
		processorMs.toFixed(1),
	];
	printTable(
		`start, ms, median of ${rounds * STARTS_A_ROUND}`,
		["", "to ready line", "to answer", "both", "processor"],
		[
			row("bare Bun.serve, compiled", plain),
			["resort --version, to its end", "", "", median(runs).toFixed(1)],
			row("resort serve, in memory", inMemory),
			row(`resort serve, ${large.agents} agents`, onFile),
		],
	);
	return [
		atMost(
			"start to first 200, in that of a bare Bun.serve",
			onFile.answeredMs / plain.answeredMs,
			MOST_TIMES,
			"x",
		),
	];
}

/** What the executable takes to load and to end, in milliseconds, without serving. */
function timeVersion(): number {
	const startedAt = performance.now();
	Bun.spawnSync([executable, "--version"]);
	return performance.now() - startedAt;
}

async function measure(command: string[]): Promise<Start> {
	const startedAt = performance.now();
	const server = await start(command);
	const readyMs = performance.now() - startedAt;
	const response = await fetch(`${server.url}/api/health`);
	await response.text();
	const answeredMs = performance.now() - startedAt;
	const processorMs = threadsMs(server.pid);
	await server.stop();
	if (!response.ok) throw new Error(`${command[0]}: ${response.status}`);
	return { readyMs, answeredMs, processorMs };
}
