import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../scripts/compile.ts";
import type { Bench } from "../bench.ts";
import { inTurns, median } from "../load.ts";
import { executable, start as startServer, threadsMs } from "../process.ts";
import { atMost, printTable, type Verdict } from "../report.ts";

const MOST_TIMES = 5;

/** Starts are short, so that there are more of them than of other runs. */
const STARTS_A_ROUND = 5;

interface Start {
	readonly readyMs: number;
	readonly answeredMs: number;
	/** Processor time until then, which a busy machine hardly changes. */
	readonly processorMs: number;
}

/** A command, and its first request. */
interface Case {
	readonly name: string;
	readonly command: readonly string[];
	readonly path: string;
	/** Sent as JSON by POST. */
	readonly body?: object;
}

/** From the start of the process to the ready line and to the first answer, the file's pages in memory. */
export async function start(bench: Bench): Promise<Verdict[]> {
	const { large, rounds } = bench.options;
	const bare = join(bench.folder, "bare");
	await compile(bare, undefined, "bench/servers/constant.ts");
	const { database, ids } = await bench.database(large);
	const [id] = readFileSync(ids, "utf8").split("\n", 1);
	const status = `/api/agents/${id}/status`;
	const serve = [executable, "serve", "--port", "0", "--log-level", "warning", "--database", database];
	const inMemory = [...serve.slice(0, -1), ":memory:"];
	const onFile = `${large.agents} agents`;
	const cases: Case[] = [
		{ name: "bare Bun.serve, compiled", command: [bare], path: "/" },
		{ name: `${onFile}: a status`, command: serve, path: status },
		{ name: `${onFile}: health`, command: serve, path: "/api/health" },
		{ name: `${onFile}: a profile`, command: serve, path: `/api/agents/${id}` },
		{ name: "in memory: a registration", command: inMemory, path: "/api/agents", body: { name: "Ada" } },
	];
	for (const one of cases) await measure(one);
	const measured = await inTurns(cases, rounds * STARTS_A_ROUND, measure);
	const starts = measured.map(
		(starts): Start => ({
			readyMs: median(starts.map(({ readyMs }) => readyMs)),
			answeredMs: median(starts.map(({ answeredMs }) => answeredMs)),
			processorMs: median(starts.map(({ processorMs }) => processorMs)),
		}),
	);
	const runs = Array.from({ length: rounds * STARTS_A_ROUND }, timeVersion);
	printTable(
		`start, ms, median of ${rounds * STARTS_A_ROUND}`,
		["first request", "to ready line", "to answer", "both", "processor"],
		[
			...starts.map(({ readyMs, answeredMs, processorMs }, at) => [
				cases[at]?.name ?? "",
				readyMs.toFixed(1),
				(answeredMs - readyMs).toFixed(1),
				answeredMs.toFixed(1),
				processorMs.toFixed(1),
			]),
			["resort --version, to its end", "", "", median(runs).toFixed(1)],
		],
	);
	const [plain, first] = starts;
	if (!plain || !first) return [];
	return [
		atMost(
			"start to first status, in that of a bare Bun.serve",
			first.answeredMs / plain.answeredMs,
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

async function measure({ command, path, body }: Case): Promise<Start> {
	const startedAt = performance.now();
	const server = await startServer([...command]);
	const readyMs = performance.now() - startedAt;
	const response = await fetch(
		server.url + path,
		body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
	);
	await response.text();
	const answeredMs = performance.now() - startedAt;
	const processorMs = threadsMs(server.pid);
	await server.stop();
	if (!response.ok) throw new Error(`${command[0]}: ${response.status}`);
	return { readyMs, answeredMs, processorMs };
}
