import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CompletedRequest } from "../../http/completed-request.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import type { Metric, MetricValue } from "../../lib/metric.ts";
import { type MetricsSource, readingsOf } from "./metrics-readings.ts";

/** The metrics of an instance. */
export interface Metrics {
	/** Exports all of them in the Prometheus text format. */
	readonly registry: Registry;
	/** Counts a request. */
	measure(exchange: CompletedRequest): void;
	/** Stops sampling. */
	stop(): void;
}

/** In seconds: the first is longer than a status takes, the last than most commits on a slow disk. */
const LATENCY_BUCKETS = [
	0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
	0.5, 1, 2.5, 5, 10,
];

/** In seconds. */
const LAG_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** How often the lag of the event loop is sampled. */
const LAG_SAMPLE_MS = 100;

/**
 * Creates the metrics of an instance, named as https://prometheus.io/docs/practices/naming/ recommends. Labels are
 * routes, methods, statuses and limits, so their number is bounded. Requests and the event loop are measured all the
 * time, everything else is read when it is scraped.
 */
export function createMetrics(source: MetricsSource): Metrics {
	const registry = new Registry();
	for (const reading of readingsOf(source)) register(registry, reading);
	const requests = new Counter({
		name: "resort_http_requests_total",
		help: "Responses sent.",
		labelNames: ["method", "route", "status"],
		registers: [registry],
	});
	const durations = new Histogram({
		name: "resort_http_request_duration_seconds",
		help: "Time from a request to its response.",
		labelNames: ["method", "route"],
		buckets: LATENCY_BUCKETS,
		registers: [registry],
	});
	const sampler = sampleLag(registry);
	return {
		registry,
		stop: () => clearInterval(sampler),
		measure({ method, route, status, durationMs, waited }) {
			requests.inc({ method, route, status });
			// The caller chose how long a waiting call takes.
			if (waited) return;
			durations.observe({ method, route }, durationMs / SECOND_MS);
		},
	};
}

function register(
	registry: Registry,
	{ kind, name, help, label, read }: Metric,
): void {
	const Collector = kind === "gauge" ? Gauge : Counter;
	new Collector({
		name,
		help,
		labelNames: label === undefined ? [] : [label],
		registers: [registry],
		async collect() {
			let value: MetricValue;
			try {
				value = await read();
			} catch {
				// Leaves out a metric that cannot be read, and exports the others.
				if (label === undefined) this.remove();
				else this.reset();
				return;
			}
			this.reset();
			if (typeof value === "number") return this.inc(value);
			for (const [key, labelled] of Object.entries(value)) {
				this.inc({ [label ?? ""]: key }, labelled);
			}
		},
	});
}

/** Measures how late a timer fires, which is how long a request may have waited. */
function sampleLag(registry: Registry): ReturnType<typeof setInterval> {
	const lag = new Histogram({
		name: "resort_event_loop_lag_seconds",
		help: "How late a timer fires.",
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
