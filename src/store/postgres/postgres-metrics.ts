import { SECOND_MS } from "../../lib/clock.ts";
import { counter, gauge, type Metric } from "../../lib/metric.ts";
import { mapValues, recordOf } from "../../lib/record.ts";
import type { Outages, Pools } from "./connection-pool.ts";
import type { RunStatement } from "./shared-window.ts";
import type { Transactions } from "./transactions.ts";
import type { Versions } from "./versions.ts";

/** The parts of a store that are measured. */
interface MetricSources {
	readonly run: RunStatement;
	readonly outages: Outages;
	readonly transactions: Transactions;
	readonly versions: Versions;
	readonly pools: Pools;
}

/** The server's names for the state of a standby; `unknown` if this user may not see it. */
const syncStates = ["sync", "quorum", "potential", "async", "unknown"] as const;

const STANDBYS =
	"select coalesce(sync_state, 'unknown') as state, count(*) as standbys from pg_stat_replication where coalesce(state, 'streaming') <> 'backup' group by 1";

/** The metrics of a store on PostgreSQL. */
export function createMetrics({
	run,
	outages,
	transactions,
	versions,
	pools,
}: MetricSources): Metric[] {
	return [
		gauge(
			"resort_database_up",
			"1 while the database can be reached, else 0.",
			() => (outages.isActive ? 0 : 1),
		),
		counter(
			"resort_database_retries_total",
			"Changes that were run again, because another one was in the way or the connection was lost.",
			() => transactions.retries,
		),
		counter(
			"resort_database_looks_total",
			"Checks for changes of other instances.",
			() => versions.checks,
		),
		counter(
			"resort_database_look_failures_total",
			"Checks that failed or took too long, after which every cache was dropped.",
			() => versions.failures,
		),
		counter(
			"resort_database_look_seconds_total",
			"Time spent on checks for changes of other instances.",
			() => versions.checkingMs / SECOND_MS,
		),
		gauge(
			"resort_database_connections",
			"Open connections, by their use.",
			() => mapValues(pools, ({ statistics }) => statistics.open),
			"pool",
		),
		gauge(
			"resort_database_connections_used",
			"Busy connections, by their use.",
			() => mapValues(pools, ({ statistics }) => statistics.used),
			"pool",
		),
		gauge(
			"resort_database_connection_waiters",
			"Changes that wait for a connection.",
			() => pools.write.statistics.waiting,
		),
		counter(
			"resort_database_connection_waits_total",
			"Changes that had to wait for a connection.",
			() => pools.write.waits,
		),
		gauge(
			"resort_database_standbys",
			"Standbys that are connected to the server, by their synchronization state.",
			async () => {
				const rows = await run(STANDBYS, []);
				const counts = new Map(
					rows.map(({ state, standbys }) => [state, standbys as number]),
				);
				return recordOf(syncStates, (state) => counts.get(state) ?? 0);
			},
			"sync_state",
		),
	];
}
