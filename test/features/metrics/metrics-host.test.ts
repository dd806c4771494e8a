import { expect, test } from "bun:test";
import { isMetricsHost } from "../../../src/features/metrics/metrics-listener.ts";

test.each<[metricsHost: string, verb: "accepts" | "refuses", host: string | null]>([
	// HTTP/1.0 requires no `Host`.
	["127.0.0.1", "accepts", null],
	["127.0.0.1", "accepts", "LOCALHOST"],
	["127.0.0.1", "accepts", "[::1]:9464"],
	["127.0.0.1", "refuses", ""],
	["127.0.0.1", "refuses", "resort.example:9464"],
	["127.0.0.1", "refuses", "localhost.resort.example"],
	["127.0.0.1", "refuses", "metrics"],
	["127.0.0.1", "accepts", "192.0.2.1:9464"],
	["0.0.0.0", "accepts", "192.0.2.1:9464"],
	["0.0.0.0", "accepts", "[2001:db8::1]:9464"],
	["0.0.0.0", "accepts", "resort:9464"],
	["0.0.0.0", "refuses", "resort.example:9464"],
	["0.0.0.0", "refuses", "192.0.2.1.resort.example"],
	["0.0.0.0", "refuses", "192.0.2.1:port"],
	["Metrics.resort.example", "accepts", "metrics.resort.example:9464"],
	["metrics.resort.example", "refuses", "resort.example"],
])("with --metrics-host %s, the metrics listener %s the Host %p", (metricsHost, verb, host) => {
	expect(isMetricsHost(host, metricsHost)).toBe(verb === "accepts");
});
