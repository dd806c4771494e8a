import { SECOND_MS } from "../../lib/clock.ts";
import { mapValues, recordOf } from "../../lib/record.ts";
import type { EngineMetric, EngineRow } from "../store.ts";
import type { Outages } from "./outages.ts";
import type { Pool } from "./pool.ts";

/** What a store counts. */
export class Tally {
	retries = 0;
	looks = 0;
	failedLooks = 0;
	lookMs = 0;
}

/** What the metrics are read of. */
export interface MetricParts {
	readonly store: {
		query(text: string, parameters: readonly []): Promise<EngineRow[]>;
	};
	readonly tally: Tally;
	readonly outages: Outages;
	readonly pools: Readonly<Record<"write" | "read" | "look", Pool>>;
}

/** The states of a standby, as the server names them; `unknown` when it does not tell them to this user. */
const syncStates = ["sync", "quorum", "potential", "async", "unknown"] as const;

const STANDBYS =
	"select coalesce(sync_state, 'unknown') as state, count(*) as standbys from pg_stat_replication where coalesce(state, 'streaming') <> 'backup' group by 1";

/** The metrics of a store on PostgreSQL. */
export function metricsOf({
	store,
	tally,
	outages,
	pools,
}: MetricParts): EngineMetric[] {
	const ofPools = (read: (figures: Pool["figures"]) => number) => () =>
		mapValues(pools, (pool) => read(pool.figures));
	return [
		{
			kind: "gauge",
			name: "resort_database_up",
			help: "1 while the database can be reached, else 0.",
			read: () => (outages.isOn ? 0 : 1),
		},
		{
			kind: "counter",
			name: "resort_database_retries_total",
			help: "Changes that were run again, because another one was in the way or the connection was lost.",
			read: () => tally.retries,
		},
		{
			kind: "counter",
			name: "resort_database_looks_total",
			help: "Looks at what other instances have changed.",
			read: () => tally.looks,
		},
		{
			kind: "counter",
			name: "resort_database_look_failures_total",
			help: "Looks that failed or took too long, after which all that was kept ready was dropped.",
			read: () => tally.failedLooks,
		},
		{
			kind: "counter",
			name: "resort_database_look_seconds_total",
			help: "Time that looks have taken.",
			read: () => tally.lookMs / SECOND_MS,
		},
		{
			kind: "gauge",
			name: "resort_database_connections",
			help: "Connections that are open, by what they are for.",
			label: "pool",
			read: ofPools(({ open }) => open),
		},
		{
			kind: "gauge",
			name: "resort_database_connections_used",
			help: "Connections that are at work, by what they are for.",
			label: "pool",
			read: ofPools(({ used }) => used),
		},
		{
			kind: "gauge",
			name: "resort_database_connection_waiters",
			help: "Changes that wait for a connection.",
			read: () => pools.write.figures.waiting,
		},
		{
			kind: "counter",
			name: "resort_database_connection_waits_total",
			help: "Changes that had to wait for a connection.",
			read: () => pools.write.figures.waits,
		},
		{
			kind: "gauge",
			name: "resort_database_standbys",
			help: "Standbys that are connected to the server, by what commits wait for.",
			label: "sync_state",
			async read() {
				const rows = await store.query(STANDBYS, []);
				const known = new Map(
					rows.map(({ state, standbys }) => [state, standbys as number]),
				);
				return recordOf(syncStates, (state) => known.get(state) ?? 0);
			},
		},
	];
}
