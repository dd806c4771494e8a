import { $ } from "bun";
import { startCluster } from "../../test/features/postgres/support/cluster.ts";
import { createDatabase } from "../../test/features/postgres/support/databases.ts";
import { installations } from "../../test/features/postgres/support/installations.ts";
import type { Server } from "../../test/features/postgres/support/server.ts";
import { childrenOf, processorMs } from "../../test/support/processes.ts";
import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import type { Result } from "../goals.ts";
import { readGuests, readIds } from "../guests.ts";
import { type Figures, inTurns, load, medians, requestsFile } from "../load.ts";
import { executable, type Running, startBare, startResort } from "../process.ts";
import { askForAll } from "../record-answers.ts";
import { compare, printTable } from "../report.ts";

const BESIDE = "Bun.serve, Bun.SQL";

/** Indexes in the list of communities. */
const INSTANCE = 1;
const BARE = 3;

/** The number of connections of the load generator to all instances together. */
const CONNECTIONS = 32;

/** The default of `--database-connections`. */
const DATABASE_CONNECTIONS = 16;

/** One or more servers that share a database. */
interface Community {
	readonly name: string;
	readonly servers: readonly Running[];
	/** The PostgreSQL server; null if the database is SQLite. */
	readonly cluster: Server | null;
}

/** The results of a run. Names with `Us` are processor times per request, in microseconds. */
interface Measured {
	readonly perSecond: number;
	/** The time of all servers of the community. */
	readonly serverUs: number;
	/** The time of the PostgreSQL server. */
	readonly databaseUs: number;
	/** The largest median among the servers. */
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly failed: number;
}

/**
 * Compares a status and a change on PostgreSQL, with one instance and with three, with SQLite and with a bare
 * `Bun.serve` that uses `Bun.SQL`. PostgreSQL has its default settings: each change is on disk before the
 * response.
 */
export async function postgres(bench: Bench): Promise<Result[]> {
	if (installations.length === 0)
		throw new Error("PostgreSQL is missing (Debian: apt-get install postgresql)");
	const database = await bench.database(sizes.tenThousand);
	const ids = readIds(database, "agents");
	const statusesFile = await requestsFile(
		bench.folder,
		ids.map((id) => ({ path: `/api/agents/${id}/status` })),
	);
	const changesFile = await requestsFile(
		bench.folder,
		readGuests(database).map(({ apiKey }) => ({
			method: "POST",
			path: "/api/activities/tidepool-float/do",
			headers: { authorization: `Bearer ${apiKey}` },
		})),
	);
	await using cluster = await startCluster();
	const copies = await Promise.all(["one", "three", "bare"].map(() => createDatabase(cluster.url)));
	for (const url of copies) {
		await $`${executable} copy ${database} ${url}`.quiet();
	}
	const [one = "", three = "", bare = ""] = copies;
	const communities: Community[] = [
		{ name: "SQLite", servers: [await startResort(database)], cluster: null },
		{ name: "PostgreSQL, 1 instance", servers: [await startResort(one)], cluster },
		{
			name: "PostgreSQL, 3 instances",
			servers: [await startResort(three), await startResort(three), await startResort(three)],
			cluster,
		},
		{ name: BESIDE, servers: [await startBare("postgres", bare, `${DATABASE_CONNECTIONS}`)], cluster },
	];
	const cached = communities.slice(0, BARE).flatMap(({ servers }) => servers);
	await Promise.all(cached.map((server) => askForAll(server, ids)));
	const statuses = await measure(bench, communities, statusesFile);
	const changes = await measure(bench, communities, changesFile);
	await Promise.all(communities.flatMap(({ servers }) => servers.map((server) => server.stop())));
	const size = `${ids.length} agents, PostgreSQL ${installations[0]?.version}`;
	print(`GET /api/agents/{id}/status, ${size}`, communities, statuses);
	print(`POST /api/activities/{id}/do, ${size}`, communities, changes);
	const pair = { ours: changes[INSTANCE] ?? [], theirs: changes[BARE] ?? [] };
	return [{ goal: "postgres", figures: compare(pair, (one, other) => one.perSecond / other.perSecond) }];
}

/**
 * Loads the communities in turns, after one run of each without measuring. @returns the runs of each
 * community
 */
async function measure(
	{ seconds, rounds }: Bench,
	communities: readonly Community[],
	requests: string,
): Promise<Measured[][]> {
	const once = (community: Community) => loadAll(community, seconds, requests);
	for (const community of communities) await once(community);
	return inTurns(communities, rounds, once);
}

/** Sends the load to all servers of a community at the same time. */
async function loadAll(
	{ servers, cluster }: Community,
	seconds: number,
	requests: string,
): Promise<Measured> {
	const connections = Math.floor(CONNECTIONS / servers.length);
	const before = databaseMs(cluster);
	const figures = await Promise.all(
		servers.map((server) => load({ server, seconds, requests, connections })),
	);
	const usedMs = databaseMs(cluster) - before;
	const sum = (of: (one: Figures) => number) => figures.reduce((total, one) => total + of(one), 0);
	const perSecond = sum((one) => one.perSecond);
	return {
		perSecond,
		serverUs: sum((one) => one.processorUs * one.perSecond) / perSecond,
		databaseUs: (usedMs * 1000) / (perSecond * seconds),
		p50Ms: Math.max(...figures.map(({ p50Ms }) => p50Ms)),
		p99Ms: Math.max(...figures.map(({ p99Ms }) => p99Ms)),
		failed: sum((one) => one.failed),
	};
}

/** Returns the processor time of the PostgreSQL server and its child processes, in milliseconds. */
function databaseMs(cluster: Server | null): number {
	if (cluster === null) return 0;
	const { pid } = cluster;
	return [pid, ...childrenOf(pid)].reduce((sum, id) => sum + usedMs(id), 0);
}

/** Returns the processor time of a process; 0 if it has ended since it was listed. */
function usedMs(pid: number): number {
	try {
		return processorMs(pid);
	} catch {
		return 0;
	}
}

function print(title: string, communities: readonly Community[], measured: readonly Measured[][]): void {
	printTable(
		title,
		["", "requests/s", "us a request", "us database", "p50", "p99", "failed"],
		measured
			.map(medians)
			.map((one, at) => [
				communities[at]?.name ?? "",
				one.perSecond.toFixed(0),
				one.serverUs.toFixed(0),
				one.databaseUs.toFixed(0),
				`${one.p50Ms.toFixed(2)} ms`,
				`${one.p99Ms.toFixed(2)} ms`,
				String(one.failed),
			]),
	);
}
