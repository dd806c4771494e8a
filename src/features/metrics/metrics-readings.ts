import type { App } from "../../core/commands/feature.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { type Metric, metric } from "../../core/lib/metric.ts";
import { BUILD } from "../../core/lib/version.ts";
import { countAgents } from "../../core/resort/agents/service.ts";
import { countGuests } from "../../core/resort/presence/lobby.ts";

/** Returns the metrics of an instance. */
export function readingsOf(app: App): Metric[] {
	const { context, rateLimits, concurrency, capacity } = app;
	const { store } = context;
	const keysByLimit = async () => {
		const sizes = Object.entries(rateLimits.windows).map(
			async ([name, window]) => [name, await window.size] as const,
		);
		return Object.fromEntries(await Promise.all(sizes));
	};
	return [
		// The metrics of the store are read first, because they count the queries that the other metrics run.
		...(store.metrics ?? []),
		metric(
			"resort_build_info",
			"1, with the version and the commit as a label.",
			() => ({ [BUILD]: 1 }),
			"version",
		),
		metric("resort_http_requests_in_flight", "Requests without a complete response.", app.inFlight),
		metric("resort_event_streams_open", "Open event streams.", () => concurrency.open.stream),
		metric("resort_calls_waiting", "Calls that wait for a status or an event.", () => concurrency.open.call),
		metric("resort_guests", "Agents that are checked in.", () => store.read(() => countGuests(context))),
		metric("resort_agents", "Agents that are not deactivated.", () => countAgents(context)),
		metric("resort_rate_limit_keys", "Callers tracked by a rate limit.", keysByLimit, "limit"),
		metric(
			"resort_rate_limit_refusals_total",
			"Calls refused by a limit.",
			() => rateLimits.refused,
			"limit",
		),
		metric(
			"resort_database_changes_pending",
			"Changes that wait for their commit.",
			() => store.statistics.pending,
		),
		metric("resort_database_commits_total", "Commits.", () => store.statistics.commits),
		metric(
			"resort_database_changes_total",
			"Committed changes; those that arrive together share a commit.",
			() => store.statistics.committedChanges,
		),
		metric("resort_full", "1 while calls that add rows are refused, else 0.", () =>
			capacity.full === null ? 0 : 1,
		),
		metric(
			"resort_space_left_bytes",
			"Bytes that may be added until calls that add rows are refused.",
			() => capacity.leftBytes,
		),
		metric(
			"resort_log_lines_dropped_total",
			"Log lines dropped because stderr was not read in time.",
			app.droppedLines,
		),
		...app.metrics,
		...processReadings,
	];
}

/**
 * The process metrics that every Prometheus client exports. They are read here, because the metrics library
 * uses parts of Node that Bun lacks, and would write `Nan`, which is not a valid number.
 */
const processReadings: readonly Metric[] = [
	metric("process_cpu_seconds_total", "Processor time in user and system mode.", () => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1_000_000;
	}),
	metric("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
	metric(
		"process_start_time_seconds",
		"Start of the process, in seconds since 1970-01-01T00:00:00Z.",
		() => performance.timeOrigin / SECOND_MS,
	),
];
