import { Counter, Histogram, Registry } from "prom-client";
import type { Exchange } from "../../http/exchange.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import {
	type Measured,
	processReadings,
	type Reading,
	readingsOf,
} from "./metrics-readings.ts";

/** The metrics of a resort. */
export interface Metrics {
	/** All of them in the Prometheus text format. */
	readonly registry: Registry;
	/** Counts a request. */
	measure(exchange: Exchange): void;
	/** Ends what it does by itself. */
	stop(): void;
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

/**
 * Makes the metrics of a resort, named as https://prometheus.io/docs/practices/naming/ says. Their number is
 * bounded: labels are routes, methods, statuses and limits. Only requests and the event loop are measured all the
 * time; all else is read when it is asked for.
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
		measure({ method, route, status, durationMs, waited }) {
			requests.inc({ method, route, status });
			// It took as long as its caller wished.
			if (waited) return;
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
			let value: Awaited<ReturnType<Reading["read"]>>;
			try {
				value = await read();
			} catch {
				// A metric that cannot be read now is missing; the others tell why.
				if (label === undefined) this.remove();
				else this.reset();
				return;
			}
			this.reset();
			if (typeof value === "number") return this.inc(value);
			for (const [key, one] of Object.entries(value)) {
				this.inc({ [label ?? ""]: key }, one);
			}
		},
	});
}

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
