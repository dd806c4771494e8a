import { statSync } from "node:fs";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { countAgents } from "../agents/service.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Windows } from "../http/limits.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { countGuests } from "../lobby/service.ts";
import type { Resort } from "../resort.ts";
import { VERSION } from "../version.ts";

/** What is measured. */
export interface Measured {
	readonly resort: Resort;
	readonly windows: Windows;
	/** How many requests are being answered. */
	inFlight(): number;
	/** How many log lines were dropped. */
	droppedLines(): number;
}

/** The metrics of a resort. */
export interface Metrics {
	/** All of them in the Prometheus text format. */
	readonly registry: Registry;
	/** Counts a request. */
	measure(exchange: Exchange): void;
	/** Ends what it does by itself. */
	stop(): void;
}

/** A metric that is read when it is asked for. */
interface Reading {
	readonly type: typeof Gauge | typeof Counter;
	readonly name: string;
	readonly help: string;
	/** The name of its label; its values are the keys of what is read. */
	readonly label?: string;
	readonly read: () =>
		| number
		| Promise<number>
		| Readonly<Record<string, number>>;
}

/** In seconds: a status takes less than the first, a commit on a slow disk more than most. */
const LATENCY_BUCKETS = [
	0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
	0.5, 1, 2.5, 5, 10,
];

/** In seconds. */
const LAG_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** How often the lag of the event loop is sampled. */
const LAG_SAMPLE_MS = 100;

/** A count of agents is told again for so many times as long as it took. */
const COUNT_KEPT = 100;
const SMALL_COUNT = 20_000;

/**
 * Makes the metrics of a resort, named as https://prometheus.io/docs/practices/naming/ says. Their number
 * is bounded: labels are routes, methods, statuses and limits. Only requests cost something when they come.
 */
export function createMetrics(measured: Measured): Metrics {
	const registry = new Registry();
	const readings = [...readingsOf(measured), ...processReadings];
	for (const reading of readings) register(registry, reading);
	const requests = new Counter({
		name: "resort_http_requests_total",
		help: "Requests answered.",
		labelNames: ["method", "route", "status"],
		registers: [registry],
	});
	const durations = new Histogram({
		name: "resort_http_request_duration_seconds",
		help: "Time from a request's arrival to its answer.",
		labelNames: ["method", "route"],
		buckets: LATENCY_BUCKETS,
		registers: [registry],
	});
	const sampler = sampleLag(registry);
	return {
		registry,
		stop: () => clearInterval(sampler),
		measure({ method, route, status, durationMs }) {
			requests.inc({ method, route, status });
			durations.observe({ method, route }, durationMs / SECOND_MS);
		},
	};
}

function register(
	registry: Registry,
	{ type: Metric, name, help, label, read }: Reading,
): void {
	new Metric({
		name,
		help,
		labelNames: label === undefined ? [] : [label],
		registers: [registry],
		async collect() {
			const value = await read();
			this.reset();
			if (typeof value === "number") return this.inc(value);
			for (const [key, one] of Object.entries(value)) {
				this.inc({ [label ?? ""]: key }, one);
			}
		},
	});
}

function readingsOf({
	resort,
	windows,
	inFlight,
	droppedLines,
}: Measured): Reading[] {
	const { writer, path } = resort.store;
	const ofLimits = (read: (window: Windows[keyof Windows]) => number) => () =>
		Object.fromEntries(
			Object.entries(windows).map(([name, window]) => [name, read(window)]),
		);
	return [
		{
			type: Gauge,
			name: "resort_build_info",
			help: "1, with the version.",
			label: "version",
			read: () => ({ [VERSION]: 1 }),
		},
		{
			type: Gauge,
			name: "resort_http_requests_in_flight",
			help: "Requests that are being answered.",
			read: inFlight,
		},
		{
			type: Gauge,
			name: "resort_guests",
			help: "Agents that are checked in.",
			read: () => countGuests(resort),
		},
		{
			type: Gauge,
			name: "resort_agents",
			help: "Agents that are not deactivated.",
			read: keptForAWhile(() => countAgents(resort)),
		},
		{
			type: Gauge,
			name: "resort_rate_limit_keys",
			help: "Callers that a limit remembers.",
			label: "limit",
			read: ofLimits((window) => window.size),
		},
		{
			type: Counter,
			name: "resort_rate_limit_refusals_total",
			help: "Calls that a limit refused.",
			label: "limit",
			read: ofLimits((window) => window.refused),
		},
		{
			type: Gauge,
			name: "resort_database_size_bytes",
			help: "Size of the database file and its write-ahead log.",
			label: "file",
			read: () => ({ main: sizeOf(path), wal: sizeOf(`${path}-wal`) }),
		},
		{
			type: Gauge,
			name: "resort_database_changes_pending",
			help: "Changes that wait for their commit.",
			read: () => writer.figures.pending,
		},
		{
			type: Counter,
			name: "resort_database_commits_total",
			help: "Commits.",
			read: () => writer.figures.commits,
		},
		{
			type: Counter,
			name: "resort_database_changes_total",
			help: "Changes that were committed; those that arrive together share a commit.",
			read: () => writer.figures.committedChanges,
		},
		{
			type: Counter,
			name: "resort_log_lines_dropped_total",
			help: "Log lines that nobody took in time.",
			read: droppedLines,
		},
	];
}

/**
 * The figures that every client of Prometheus tells. The library's own tell much of Node's that Bun has not,
 * and `Nan`, which is no number.
 */
const processReadings: readonly Reading[] = [
	{
		type: Counter,
		name: "process_cpu_seconds_total",
		help: "Processor time in user and system mode.",
		read() {
			const { user, system } = process.cpuUsage();
			return (user + system) / 1_000_000;
		},
	},
	{
		type: Gauge,
		name: "process_resident_memory_bytes",
		help: "Resident memory.",
		read: () => process.memoryUsage.rss(),
	},
	{
		type: Gauge,
		name: "process_start_time_seconds",
		help: "Start of the process, since 1970-01-01T00:00:00Z.",
		read: () => performance.timeOrigin / SECOND_MS,
	},
];

/** Notes how late a timer comes, again and again: so long a request may have waited. */
function sampleLag(registry: Registry): ReturnType<typeof setInterval> {
	const lag = new Histogram({
		name: "resort_event_loop_lag_seconds",
		help: "By how much a timer comes late.",
		buckets: LAG_BUCKETS,
		registers: [registry],
	});
	let dueMs = performance.now() + LAG_SAMPLE_MS;
	return setInterval(() => {
		const nowMs = performance.now();
		lag.observe(Math.max(0, nowMs - dueMs) / SECOND_MS);
		dueMs = nowMs + LAG_SAMPLE_MS;
	}, LAG_SAMPLE_MS);
}

/** Counts again only when the last count is old beside the time it took; a small one is always made anew. */
function keptForAWhile(countAll: () => Promise<number>): () => Promise<number> {
	let kept: Promise<number> | null = null;
	let untilMs = 0;
	return () => {
		const startedAt = performance.now();
		if (kept !== null && startedAt < untilMs) return kept;
		untilMs = Number.POSITIVE_INFINITY;
		kept = countAll().then(
			(total) => {
				const nowMs = performance.now();
				const keptMs = COUNT_KEPT * (nowMs - startedAt);
				untilMs = total > SMALL_COUNT ? nowMs + keptMs : 0;
				return total;
			},
			(error) => {
				untilMs = 0;
				throw error;
			},
		);
		return kept;
	};
}

/** @returns 0 for a file that is not there, as `:memory:` never is */
function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
