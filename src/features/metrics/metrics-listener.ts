import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { App, Part } from "../../core/commands/feature.ts";
import { isRead } from "../../core/http/received-request.ts";
import type { RequestObserver } from "../../core/http/send-response.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { isAddress, isLoopback } from "../../core/lib/ip-address.ts";
import type { Metric } from "../../core/lib/metric.ts";
import { listenAt, localAddress } from "../../core/server/ports.ts";
import type { Store } from "../../core/store/store.ts";
import { readingsOf } from "./metrics-readings.ts";

/** The upper bounds of the buckets for request durations, in seconds. */
const LATENCY_BUCKETS = [
	0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** The upper bounds of the buckets for the lag of the event loop, in seconds. */
const LAG_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

const LAG_SAMPLE_MS = 100;

/**
 * Serves GET and HEAD /metrics in the Prometheus text format 0.0.4: 503 until the instance starts, 404 for
 * any other path, 403 if {@link isMetricsHost} refuses the `Host`. Names of metrics follow
 * https://prometheus.io/docs/practices/naming/. The number of labels is bounded. Requests and the event loop
 * are measured continuously, all other values during a scrape.
 * @param host the value of `--metrics-host`
 * @throws StartError with exit code 1 if the port or the host is not available
 */
export function metricsPart(host: string, port: number): Part {
	const registry = new Registry();
	const sampler = sampleLag(registry);
	let store: Store | null = null;
	const server = listenAt(`--metrics-host ${host} --metrics-port ${port}`, () =>
		Bun.serve({
			hostname: host,
			port,
			development: false,
			reusePort: false,
			async fetch(request) {
				if (!isMetricsHost(request.headers.get("host"), host)) {
					return new Response("Host refused\n", { status: 403 });
				}
				const path = new URL(request.url, "http://localhost").pathname;
				if (!isRead(request) || path !== "/metrics") {
					return new Response("Not found\n", { status: 404 });
				}
				if (store === null) return new Response("Starting\n", { status: 503 });
				const text = await store.withDeadline(() => registry.metrics());
				return new Response(text, { headers: { "content-type": registry.contentType } });
			},
			error: () => new Response("Internal error\n", { status: 500 }),
		}),
	);
	return {
		loggedFields: { metrics: `${localAddress(server.hostname ?? host, server.port ?? port)}/metrics` },
		observe: measureRequests(registry),
		attach: () => ({
			start(app: App) {
				for (const reading of readingsOf(app)) register(registry, reading);
				store = app.context.store;
			},
			async stop() {
				clearInterval(sampler);
				await server.stop(true);
			},
		}),
	};
}

/**
 * Whether to answer a request with this `Host`. Prevents DNS rebinding, in which a web page makes its own
 * domain resolve to the address of the metrics server, and reads the metrics. Therefore `Host` must be a
 * loopback name, an IP address or the value of `--metrics-host`. If `--metrics-host` is not loopback, a name
 * without a dot is accepted too, because containers use such names.
 * @param host the `Host` of the request; null if it is missing. Browsers always send a `Host`
 * @param metricsHost the value of `--metrics-host`
 */
export function isMetricsHost(host: string | null, metricsHost: string): boolean {
	if (host === null) return true;
	const name = URL.parse(`http://${host}`)?.hostname;
	if (name === undefined) return false;
	if (isLoopback(name) || isAddress(name.replace(/^\[|\]$/g, ""))) return true;
	return name === metricsHost.toLowerCase() || !(isLoopback(metricsHost) || name.includes("."));
}

function measureRequests(registry: Registry): RequestObserver {
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
	return ({ method, route, status, durationMs, waited }) => {
		requests.inc({ method, route, status });
		// The duration of a call that waited is not measured, because the caller chose it.
		if (!waited) durations.observe({ method, route }, durationMs / SECOND_MS);
	};
}

function register(registry: Registry, { name, help, label, read }: Metric): void {
	const Collector = name.endsWith("_total") ? Counter : Gauge;
	new Collector({
		name,
		help,
		labelNames: label === undefined ? [] : [label],
		registers: [registry],
		async collect() {
			// Omits a metric that cannot be read, and exports the others.
			const value = await Promise.try(read).catch(() => null);
			this.reset();
			// `reset` leaves the value 0 in a metric without a label.
			if (value === null) return this.remove({});
			if (typeof value === "number") return this.inc(value);
			for (const [key, labelled] of Object.entries(value)) {
				this.inc({ [label ?? ""]: key }, labelled);
			}
		},
	});
}

/** Measures how late a timer fires. Requests that arrive during this delay wait until its end. */
function sampleLag(registry: Registry): Timer {
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
