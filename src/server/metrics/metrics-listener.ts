import type { CompletedRequest } from "../../http/completed-request.ts";
import { localAddress } from "../local-address.ts";
import { createMetrics, type Metrics } from "./create-metrics.ts";
import { isMetricsHost } from "./metrics-host.ts";
import type { MetricsSource } from "./metrics-readings.ts";

/** The runtime leaves out the body of a response to HEAD. */
const READ_METHODS = new Set(["GET", "HEAD"]);

/** A server that exports metrics. */
export interface MetricsListener {
	/** The address of the metrics for this machine. */
	readonly url: string;
	/** Starts to export metrics; before, the response is 503. */
	begin(source: MetricsSource): void;
	/** Counts a request, after {@link MetricsListener.begin}. */
	measure(exchange: CompletedRequest): void;
	stop(): Promise<void>;
}

/**
 * Answers scrapes: GET and HEAD /metrics, in the text format 0.0.4 of Prometheus. Another path is 404, and a `Host` that
 * {@link isMetricsHost} refuses is 403.
 * @param host the value of `--metrics-host`
 * @throws Error of the system if it cannot listen there
 */
export function listenForScrapes(host: string, port: number): MetricsListener {
	let metrics: Metrics | null = null;
	const server = Bun.serve({
		hostname: host,
		port,
		development: false,
		reusePort: false,
		async fetch(request) {
			if (!isMetricsHost(request.headers.get("host"), host)) {
				return new Response("Host refused\n", { status: 403 });
			}
			const path = new URL(request.url, "http://localhost").pathname;
			if (!READ_METHODS.has(request.method) || path !== "/metrics") {
				return new Response("Not found\n", { status: 404 });
			}
			if (metrics === null) {
				return new Response("Starting\n", { status: 503 });
			}
			const { registry } = metrics;
			return new Response(await registry.metrics(), {
				headers: { "content-type": registry.contentType },
			});
		},
		error: () => new Response("Internal error\n", { status: 500 }),
	});
	const address = localAddress(server.hostname ?? host, server.port ?? 0);
	return {
		url: `${address}/metrics`,
		begin(source) {
			metrics = createMetrics(source);
		},
		measure(exchange) {
			metrics?.measure(exchange);
		},
		async stop() {
			metrics?.stop();
			await server.stop(true);
		},
	};
}
