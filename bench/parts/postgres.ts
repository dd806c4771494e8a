import { $ } from "bun";
import { startCluster } from "../../test/features/postgres/support/cluster.ts";
import { createDatabase } from "../../test/features/postgres/support/databases.ts";
import { installations } from "../../test/features/postgres/support/installations.ts";
import type { Server } from "../../test/features/postgres/support/server.ts";
import { childrenOf } from "../../test/support/processes.ts";
import type { Bench } from "../bench.ts";
import { type Figures, inTurns, load, medians } from "../load.ts";
import { executable, processorMs, type Running, startBare, startResort } from "../process.ts";
import { printTable, type Verdict } from "../report.ts";
import { warm } from "../warm.ts";

const BESIDE = "Bun.serve, Bun.SQL";

/** Places in the list of communities. */
const INSTANCE = 1;
const BARE = 3;

const GOALS = { status: 4, change: 2 };

/** Over all instances. */
const CONNECTIONS = 32;

/** What `--database-connections` is when it is not given. */
const DATABASE_CONNECTIONS = 16;

/** Servers that answer for one community together. */
interface Community {
	readonly name: string;
	readonly servers: readonly Running[];
	/** Null when the servers keep their database themselves. */
	readonly cluster: Server | null;
}

/** What a run came to; `Us` is processor time a request, in microseconds. */
interface Measured {
	readonly perSecond: number;
	/** Of all servers of the community. */
	readonly serverUs: number;
	/** Of the database's server. */
	readonly databaseUs: number;
	/** The greatest of the servers. */
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly failed: number;
}

/**
 * A status and a change on PostgreSQL, with one instance and with three, beside bare `Bun.serve` with
 * `Bun.SQL`, and on SQLite. The database has the settings of a new cluster: each change is on disk before it
 * is answered.
 */
export async function postgres(bench: Bench): Promise<Verdict[]> {
	if (installations.length === 0) {
		return [unmeasured("status", GOALS.status), unmeasured("do", GOALS.change)];
	}
	const generated = await bench.database(bench.options.shared);
	await using cluster = await startCluster();
	const copies = await Promise.all(["one", "three", "bare"].map(() => createDatabase(cluster.url)));
	for (const url of copies) {
		await $`${executable} copy ${generated.database} ${url}`.quiet();
	}
	const [one = "", three = "", bare = ""] = copies;
	const communities: Community[] = [
		{ name: "SQLite", servers: [await startResort(generated.database)], cluster: null },
		{ name: "PostgreSQL, 1 instance", servers: [await startResort(one)], cluster },
		{
			name: "PostgreSQL, 3 instances",
			servers: [await startResort(three), await startResort(three), await startResort(three)],
			cluster,
		},
		{ name: BESIDE, servers: [await startBare("postgres", bare, `${DATABASE_CONNECTIONS}`)], cluster },
	];
	const warmed = communities.slice(0, -1).flatMap(({ servers }) => servers);
	// Twice, because the resort caches more than 10,000 statuses only when they are requested again.
	for (let times = 0; times < 2; times++) {
		await Promise.all(warmed.map((server) => warm(server, generated.ids)));
	}
	const statuses = await measure(bench, communities, ["status", generated.ids]);
	const changes = await measure(bench, communities, ["do-activity", generated.guests]);
	await Promise.all(communities.flatMap(({ servers }) => servers.map((server) => server.stop())));
	const size = `${bench.options.shared.agents} agents, PostgreSQL ${installations[0]?.version}`;
	print(`GET /api/agents/{id}/status, ${size}`, communities, statuses);
	print(`POST /api/activities/{id}/do, ${size}`, communities, changes);
	return [judge("status", statuses, GOALS.status), judge("do", changes, GOALS.change)];
}

/** Loads each community in turns, and once before; medians. */
async function measure(
	{ options: { seconds, rounds } }: Bench,
	communities: readonly Community[],
	script: readonly [name: string, file: string],
): Promise<Measured[]> {
	const once = (community: Community) => loadAll(community, seconds, script);
	for (const community of communities) await once(community);
	return (await inTurns(communities, rounds, once)).map(medians);
}

/** Loads all servers of a community at once. */
async function loadAll(
	{ servers, cluster }: Community,
	seconds: number,
	script: readonly [name: string, file: string],
): Promise<Measured> {
	const connections = Math.floor(CONNECTIONS / servers.length);
	const before = databaseMs(cluster);
	const figures = await Promise.all(servers.map((server) => load({ server, seconds, script, connections })));
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

/** Processor time of the database's server and of its children, in milliseconds. */
function databaseMs(cluster: Server | null): number {
	if (cluster === null) return 0;
	const { pid } = cluster;
	return [pid, ...childrenOf(pid)].reduce((sum, id) => sum + usedMs(id), 0);
}

/** A child may have ended since it was listed. */
function usedMs(pid: number): number {
	try {
		return processorMs(pid);
	} catch {
		return 0;
	}
}

function print(title: string, communities: readonly Community[], measured: readonly Measured[]): void {
	printTable(
		title,
		["", "requests/s", "us a request", "us database", "p50", "p99", "failed"],
		measured.map((one, at) => [
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

/** One instance on PostgreSQL beside the bare server, by requests: they wait for the database. */
function judge(what: string, measured: readonly Measured[], goal: number): Verdict {
	const ratio = (measured[INSTANCE]?.perSecond ?? 0) / (measured[BARE]?.perSecond ?? 0);
	return {
		what: `${what} : ${BESIDE}`,
		reached: `${ratio.toFixed(2)} x by requests`,
		goal: `>= ${goal} x`,
		isReached: ratio >= goal,
	};
}

function unmeasured(what: string, goal: number): Verdict {
	return {
		what: `${what} : ${BESIDE}`,
		reached: "PostgreSQL is not installed",
		goal: `>= ${goal} x`,
		isReached: null,
	};
}
