import { expect, test } from "bun:test";
import { isMetricsHost } from "../../../src/features/metrics/metrics-listener.ts";

test.each<[metricsHost: string, host: string | null, isTaken: boolean]>([
	["127.0.0.1", "127.0.0.1:9464", true],
	["127.0.0.1", "LOCALHOST", true],
	["127.0.0.1", "[::1]:9464", true],
	["127.0.0.1", null, true],
	["127.0.0.1", "", false],
	["127.0.0.1", "resort.example:9464", false],
	["127.0.0.1", "localhost.resort.example", false],
	["127.0.0.1", "metrics", false],
	["127.0.0.1", "192.0.2.1:9464", true],
	["localhost", "127.0.0.2", true],
	["0.0.0.0", "192.0.2.1:9464", true],
	["0.0.0.0", "[2001:db8::1]:9464", true],
	["0.0.0.0", "resort:9464", true],
	["0.0.0.0", "resort.example:9464", false],
	["0.0.0.0", "192.0.2.1.resort.example", false],
	["0.0.0.0", "192.0.2.1:port", false],
	["::", "192.0.2.1", true],
	["Metrics.resort.example", "metrics.resort.example:9464", true],
	["metrics.resort.example", "resort.example", false],
	["192.0.2.1", "192.0.2.2", true],
])("on --metrics-host %s the host %p: %p", (metricsHost, host, isTaken) => {
	expect(isMetricsHost(host, metricsHost)).toBe(isTaken);
});
