import type { Exchange } from "../../http/exchange.ts";
import { WholeRequest } from "../../http/whole.ts";
import { localAddress } from "../address.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { isMetricsHost } from "./metrics-host.ts";
import type { Measured } from "./metrics-readings.ts";

/** The methods that read. The runtime leaves the body of an answer to HEAD out. */
const READS = new Set(["GET", "HEAD"]);

/** A server of metrics beside the resort. */
export interface MetricsListener {
	/** Where this machine reads the metrics. */
	readonly url: string;
	/** Answers with these metrics from now on; before, the answer is 503. */
	begin(measured: Measured): void;
	/** Counts a request, once there are metrics. */
	measure(exchange: Exchange): void;
	stop(): Promise<void>;
}

/**
 * Listens for scrapes: GET and HEAD /metrics, in the text format 0.0.4 of Prometheus. Any other path is 404, and
 * a `Host` that {@link isMetricsHost} refuses is 403.
 * @param host what `--metrics-host` says
 * @throws Error of the system when it cannot listen there
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
			if (!READS.has(request.method) || pathOf(request) !== "/metrics") {
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
		begin(measured) {
			metrics = createMetrics(measured);
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

function pathOf(request: Request): string {
	return new URL(WholeRequest.of(request).url).pathname;
}
