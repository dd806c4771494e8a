import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { configuration } from "../../../src/cli/features.ts";
import { isMetricsHost } from "../../../src/features/metrics/metrics-listener.ts";
import { run } from "../../support/executable.ts";
import { TemporaryFolder, useTemporaryFolder } from "../../support/folder.ts";
import { until } from "../../support/until.ts";
import { useServer } from "../../support/use-resort.ts";
import { exchange } from "../../support/wire.ts";
import { prepareMetrics } from "./exposition.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;
const { url: metricsUrl, flags, scrape } = await prepareMetrics();
const resort = useServer(
	["--ephemeral", "--database", "house.sqlite", "--rate-limits", "on", ...flags],
	{ cwd },
	async ({ exitCode, stdout, stderr }) => {
		expect(exitCode).toBe(0);
		expect(stdout.trimEnd().split("\n")).toHaveLength(1);
		expect(JSON.parse(stderr.split("\n")[0] ?? "").metrics).toBe(metricsUrl);
		expect(await fetch(metricsUrl).catch(() => null)).toBeNull();
	},
);

/** Returns how much the metrics `names` have risen during `change`. */
async function riseOf(names: readonly string[], change: () => Promise<unknown>): Promise<number[]> {
	const before = await scrape();
	await change();
	const after = await scrape();
	return names.map((name) => (after.get(name) ?? 0) - (before.get(name) ?? 0));
}

describe("GET /metrics", () => {
	test("counts requests by method, route and status, and measures the durations of those that do not wait for new events", async () => {
		const id = crypto.randomUUID();
		const labels = 'method="GET",route="/api/agents/:id/status"';
		const rise = await riseOf(
			[
				`resort_http_requests_total{${labels},status="404"}`,
				`resort_http_request_duration_seconds_count{${labels}}`,
				`resort_http_request_duration_seconds_bucket{le="+Inf",${labels}}`,
				'resort_http_requests_total{method="GET",route="/api/lobby",status="200"}',
				'resort_http_requests_total{method="GET",route="/api/events",status="200"}',
				'resort_http_request_duration_seconds_count{method="GET",route="/api/events"}',
			],
			async () => {
				for (let ask = 0; ask < 3; ask++) await resort.call("GET", `/api/agents/${id}/status`);
				await resort.call("GET", "/api/lobby");
				await resort.call("GET", "/api/events");
				await resort.call("GET", "/api/events?since=0&wait=1");
			},
		);
		expect(rise).toEqual([3, 3, 3, 1, 2, 1]);
	});

	test("has one label for all unknown paths, and one for all unknown methods", async () => {
		const before = (await scrape()).size;
		const rise = await riseOf(
			[
				'resort_http_requests_total{method="GET",route="unknown",status="404"}',
				'resort_http_requests_total{method="other",route="unknown",status="404"}',
			],
			async () => {
				for (let path = 0; path < 20; path++) await resort.call("GET", `/api/${path}`);
				for (const method of ["PROPFIND", "LOCK"]) await resort.call(method, "/api/lobby");
			},
		);
		expect(rise).toEqual([20, 2]);
		const perRoute = 1 + 17 + 2;
		expect((await scrape()).size - before).toBeLessThanOrEqual(2 * perRoute);
	});

	test("counts guests, agents, commits and changes, and contains the sizes of the database files", async () => {
		let key = "";
		const names = ["resort_guests", "resort_agents"];
		expect(
			await riseOf([...names, "resort_database_commits_total", "resort_database_changes_total"], async () => {
				({ key } = await resort.register());
				await resort.call("POST", "/api/checkin", { key });
			}),
			// Three changes: the registration, the check-in, and the time of the agent's last call.
		).toEqual([1, 1, expect.any(Number), 3]);
		expect(await riseOf(names, () => resort.call("POST", "/api/checkout", { key }))).toEqual([-1, 0]);
		expect(await riseOf(names, () => resort.call("DELETE", "/api/me", { key }))).toEqual([0, -1]);
		const samples = await scrape();
		const file = Bun.file(join(cwd, "house.sqlite")).size;
		expect(samples.get('resort_database_size_bytes{file="main"}')).toBe(file);
		expect(samples.get('resort_database_size_bytes{file="wal"}')).toBeGreaterThan(0);
	});

	test("counts the calls that each rate limit has refused", async () => {
		const { key } = await resort.register();
		const rise = await riseOf(
			[
				'resort_rate_limit_refusals_total{limit="check-in"}',
				'resort_rate_limit_refusals_total{limit="check-out"}',
				'resort_rate_limit_keys{limit="check-in"}',
			],
			async () => {
				for (let ask = 0; ask < 7; ask++) await resort.call("POST", "/api/checkin", { key });
			},
		);
		expect(rise).toEqual([2, 0, 1]);
		const never = 'resort_rate_limit_refusals_total{limit="check-out"}';
		expect((await scrape()).get(never)).toBe(0);
	});

	test("has the media type of Prometheus, and contains the version, the start time and the requests in flight", async () => {
		const { headers } = await fetch(metricsUrl);
		expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
		const samples = await scrape();
		const build = new RegExp(
			`^resort_build_info\\{version="${RegExp.escape(version)}(\\+[0-9a-f]{7}(-dirty)?)?"\\}$`,
		);
		const builds = [...samples].filter(([key]) => build.test(key));
		expect(builds.map(([, value]) => value)).toEqual([1]);
		expect(samples.get("resort_log_lines_dropped_total")).toBe(0);
		expect(samples.get("resort_database_changes_pending")).toBe(0);
		expect(samples.get("resort_http_requests_in_flight")).toBe(0);
		expect(samples.get("process_start_time_seconds")).toBeGreaterThan(0);
	});

	test("has buckets for the durations of requests and for the lag of the event loop", async () => {
		await resort.call("GET", "/api/lobby");
		const samples = await scrape();
		const boundsOf = (name: string) => {
			const bound = new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`);
			const bounds = [...samples.keys()].map((key) => bound.exec(key)?.[1]);
			return [...new Set(bounds)].join(" ").trim();
		};
		expect(boundsOf("resort_http_request_duration_seconds")).toBe(
			"0.0001 0.00025 0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf",
		);
		expect(boundsOf("resort_event_loop_lag_seconds")).toBe(
			"0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 1 +Inf",
		);
		const punctual = 'resort_event_loop_lag_seconds_bucket{le="0.05"}';
		await until(async () => Number((await scrape()).get(punctual)) > 1);
	});

	test("is the only path that the metrics listener serves, and returns 404 on the port of the resort itself", async () => {
		const { origin } = new URL(metricsUrl);
		for (const [url, method, status] of [
			[`${resort.url}/metrics`, "GET", 404],
			[`${origin}/`, "GET", 404],
			[`${origin}/metrics/`, "GET", 404],
			[`${origin}/api/health`, "GET", 404],
			[metricsUrl, "POST", 404],
			[metricsUrl, "HEAD", 200],
		] as const) {
			const answer = await fetch(url, { method });
			expect([url, method, answer.status]).toEqual([url, method, status]);
		}
	});
});

test.each([
	[200, "over HTTP/1.0 without a Host field", "1.0", "/metrics", ""],
	[200, "with a query and `Host: localhost:1`", "1.1", "/metrics?x", "Host: localhost:1\r\n"],
	[403, "with `Host: resort.example`", "1.1", "/metrics", "Host: resort.example\r\n"],
])("GET /metrics returns %d %s", async (status, _, version, target, fields) => {
	const port = Number(new URL(metricsUrl).port);
	const head = `GET ${target} HTTP/${version}\r\n${fields}\r\n`;
	const [answer] = await exchange(port, { parts: [head] });
	expect(answer?.status).toBe(status);
});

test.each<[metricsHost: string, verb: "accepts" | "refuses", name: string, host?: string | null]>([
	["127.0.0.1", "accepts", "missing, as in HTTP/1.0", null],
	["127.0.0.1", "accepts", "LOCALHOST"],
	["127.0.0.1", "accepts", "[::1]:9464"],
	["127.0.0.1", "refuses", "empty", ""],
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
])("with `--metrics-host %s`, the listener %s a Host that is %s", (metricsHost, verb, name, host = name) => {
	expect(isMetricsHost(host, metricsHost)).toBe(verb === "accepts");
});

test("`resort --metrics` exits with 1 and creates no database if the port of the metrics is in use", async () => {
	using place = new TemporaryFolder();
	const { port } = new URL(metricsUrl);
	const ended = await run(["--port", "0", "--metrics", "--metrics-port", port], { cwd: place.path });
	expect(ended).toEqual({
		exitCode: 1,
		stdout: "",
		stderr: `resort: cannot listen on --metrics-host 127.0.0.1 --metrics-port ${port}: the port is in use\n`,
	});
	expect(readdirSync(place.path)).toEqual([]);
});

test.each(["127.0.0.1", "0.0.0.0"])(
	"`resort --metrics --host %s` refuses the port of the metrics as `--port`",
	async (host) => {
		const ports = ["--port", "9465", "--metrics-port", "9465"];
		await folder.refuse(
			["--metrics", "--host", host, ...ports],
			"--metrics-port must differ from --port 9465",
			2,
		);
	},
);

test.each<[what: string, flags: Record<string, string>]>([
	["at another address", { metrics: "on", "metrics-host": "127.0.0.2", port: "9464" }],
	["if both are 0", { metrics: "on", "metrics-port": "0", port: "0" }],
	["without `--metrics`", { port: "9464" }],
])("`--metrics-port` may be equal to `--port` %s", (_what, flags) => {
	expect(configuration.read(flags, {})["metrics-port"]).toBe(Number(flags.port));
});
