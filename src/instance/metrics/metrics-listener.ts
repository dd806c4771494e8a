import type { Exchange } from "../../http/exchange.ts";
import { wholeRequest } from "../../http/whole.ts";
import { localAddress } from "../address.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { Measured } from "./metrics-readings.ts";

/** A server of metrics beside the resort. */
export interface MetricsListener {
	/** Where this machine reads the metrics. */
	readonly url: string;
	/** From here on they are told; before, the answer is 503. */
	begin(measured: Measured): void;
	/** Counts a request, once they are told. */
	measure(exchange: Exchange): void;
	stop(): Promise<void>;
}

/**
 * Listens for scrapes: GET /metrics, in the text format 0.0.4 of Prometheus.
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
			if (request.method !== "GET" || pathOf(request) !== "/metrics") {
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
	return new URL(wholeRequest(request).url).pathname;
}
