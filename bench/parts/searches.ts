import { join } from "node:path";
import { $ } from "bun";
import { startCluster } from "../../test/features/postgres/support/cluster.ts";
import { createDatabase } from "../../test/features/postgres/support/databases.ts";
import { installations } from "../../test/features/postgres/support/installations.ts";
import type { Bench } from "../bench.ts";
import { insertEvents } from "../insert-events.ts";
import { executable, type Running, start } from "../process.ts";
import { atMost, printTable, type Verdict } from "../report.ts";

/** As many as are kept. */
const EVENTS = 1_000_000;

const GOALS = { p50Ms: 10, p99Ms: 50 };

interface Latency {
	readonly p50Ms: number;
	readonly p99Ms: number;
}

/** How long others wait while ten networks search a full event log for what it does not contain. */
export async function searches(bench: Bench): Promise<Verdict[]> {
	const { database } = await bench.database(bench.options.shared);
	const agents = insertEvents(database, EVENTS);
	const strangers = attacks(agents);
	const verdicts = await measure("SQLite", database, strangers, bench);
	if (installations.length === 0) return verdicts;
	await using cluster = await startCluster();
	const url = await createDatabase(cluster.url);
	await $`${executable} copy ${database} ${url}`.quiet();
	return [...verdicts, ...(await measure("PostgreSQL", url, strangers, bench))];
}

/** What is searched, by the kind of search. */
function attacks(agents: readonly string[]): [name: string, path: string][] {
	const path = (filter: string) => `/api/events?since=0&wait=1&${filter}`;
	return [
		["a type without events", path("types=agent.gone")],
		["a busy agent", path(`ids=${agents[1]}&types=agent.gone`)],
		["100 busy agents", path(`ids=${agents}&types=agent.gone`)],
		["as streams", `/api/events?since=0&ids=${agents[1]}&types=agent.gone`],
	];
}

async function measure(
	engine: string,
	database: string,
	strangers: [name: string, path: string][],
	{ options: { seconds } }: Bench,
): Promise<Verdict[]> {
	// With limits: they are what is measured.
	const server = await start([
		executable,
		"serve",
		"--port",
		"0",
		"--log-level",
		"warning",
		"--database",
		database,
	]);
	const probe = async (path: string) => latencyOf(server.url + path, seconds);
	const others = `/api/activities?view=brief`;
	const rows = [["idle", await probe("/api/health"), await probe(others)]] as [string, Latency, Latency][];
	for (const [name, path] of strangers) {
		const end = await attack(server, path, name === "as streams");
		rows.push([name, await probe("/api/health"), await probe(others)]);
		await end();
	}
	await server.stop();
	const shown = ({ p50Ms, p99Ms }: Latency) => [p50Ms, p99Ms].map((ms) => `${ms.toFixed(1)} ms`);
	printTable(
		`others while ten networks search ${EVENTS} events, ${engine}`,
		["", "health p50", "p99", "activities p50", "p99"],
		rows.map(([name, health, list]) => [name, ...shown(health), ...shown(list)]),
	);
	const greatest = (of: keyof Latency) =>
		Math.max(...rows.flatMap(([, ...both]) => both.map((one) => one[of])));
	return [
		atMost(`p50 beside searches, ${engine}`, greatest("p50Ms"), GOALS.p50Ms, "ms"),
		atMost(`p99 beside searches, ${engine}`, greatest("p99Ms"), GOALS.p99Ms, "ms"),
	];
}

async function attack({ url }: Running, path: string, isStream: boolean) {
	const program = join(import.meta.dir, "../clients/searchers.ts");
	const accept = isStream ? "text/event-stream" : "*/*";
	const child = Bun.spawn([process.execPath, program, url, path, accept], { stdin: "pipe", stdout: "pipe" });
	await child.stdout.getReader().read();
	return async () => {
		child.stdin.end();
		await child.exited;
	};
}

/** Requests a path again and again, one request at a time. */
async function latencyOf(url: string, seconds: number): Promise<Latency> {
	const times: number[] = [];
	const endMs = performance.now() + seconds * 1_000;
	while (performance.now() < endMs) {
		const startedMs = performance.now();
		await (await fetch(url)).arrayBuffer();
		times.push(performance.now() - startedMs);
		await Bun.sleep(2);
	}
	times.sort((one, other) => one - other);
	const at = (share: number) => times[Math.floor(share * times.length)] ?? 0;
	return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
