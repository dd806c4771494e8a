import { Counter, Gauge } from "prom-client";
import type { Windows } from "../../auth/limits.ts";
import type { Places } from "../../auth/places.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import type { Window } from "../../lib/sliding-window.ts";
import { VERSION } from "../../lib/version.ts";
import { countAgents } from "../../resort/agents/service.ts";
import type { ServiceContext } from "../../resort/context.ts";
import { countGuests } from "../../resort/presence/lobby.ts";
import type { EngineMetric } from "../../store/store.ts";
import type { WebhookSender } from "../../webhooks/webhook-sender.ts";

/** What is measured. */
export interface Measured {
	readonly context: ServiceContext;
	readonly windows: Windows;
	readonly places: Places;
	/** What sends webhooks; null where they are off. */
	readonly sender: WebhookSender | null;
	/** How many requests are being answered. */
	inFlight(): number;
	/** How many log lines were dropped. */
	droppedLines(): number;
}

/** A metric that is read when it is asked for. */
export interface Reading {
	readonly type: typeof Gauge | typeof Counter;
	readonly name: string;
	readonly help: string;
	/** The name of its label; its values are the keys of what is read. */
	readonly label?: string;
	readonly read: EngineMetric["read"];
}

/** A count of more than 20,000 agents is told again for so many times as long as it took. */
const COUNT_KEPT = 100;
const SMALL_COUNT = 20_000;

/** What is read of a resort. */
export function readingsOf({
	context,
	windows,
	places,
	sender,
	inFlight,
	droppedLines,
}: Measured): Reading[] {
	const { store } = context;
	const ofLimits =
		(read: (window: Window) => number | Promise<number>) => async () => {
			const values = Object.entries(windows).map(
				async ([name, window]) => [name, await read(window)] as const,
			);
			return Object.fromEntries(await Promise.all(values));
		};
	return [
		// First, so that they do not count what the others ask of the store.
		...(store.metrics ?? []).map(({ kind, ...metric }) => ({
			...metric,
			type: kind === "gauge" ? Gauge : Counter,
		})),
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
			name: "resort_event_streams_open",
			help: "Streams of events that are open.",
			read: () => places.taken.stream,
		},
		{
			type: Gauge,
			name: "resort_calls_waiting",
			help: "Calls that wait for a status or an event.",
			read: () => places.taken.call,
		},
		{
			type: Gauge,
			name: "resort_guests",
			help: "Agents that are checked in.",
			read: () => store.read(() => countGuests(context)),
		},
		{
			type: Gauge,
			name: "resort_agents",
			help: "Agents that are not deactivated.",
			read: keptForAWhile(() => countAgents(context)),
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
			name: "resort_database_changes_pending",
			help: "Changes that wait for their commit.",
			read: () => store.statistics.pending,
		},
		{
			type: Counter,
			name: "resort_database_commits_total",
			help: "Commits.",
			read: () => store.statistics.commits,
		},
		{
			type: Counter,
			name: "resort_database_changes_total",
			help: "Changes that were committed; those that arrive together share a commit.",
			read: () => store.statistics.committedChanges,
		},
		{
			type: Counter,
			name: "resort_log_lines_dropped_total",
			help: "Log lines that nobody took in time.",
			read: droppedLines,
		},
		...(sender === null ? [] : readingsOfWebhooks(sender)),
	];
}

function readingsOfWebhooks(sender: WebhookSender): Reading[] {
	return [
		{
			type: Counter,
			name: "resort_webhook_deliveries_total",
			help: "Webhooks that this instance has sent, by what came of it.",
			label: "outcome",
			read: () => ({ ...sender.tally }),
		},
		{
			type: Gauge,
			name: "resort_webhook_oldest_undelivered_seconds",
			help: "How long the oldest webhook that was not taken has been due; 0 without one.",
			read: () => sender.oldestSeconds(),
		},
	];
}

/**
 * The figures that every client of Prometheus tells. The library's own tell much of Node's that Bun has not,
 * and `Nan`, which is no number.
 */
export const processReadings: readonly Reading[] = [
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
