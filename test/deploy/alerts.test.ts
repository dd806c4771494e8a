import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { serve } from "../support/executable.ts";
import { readExposition } from "../support/exposition.ts";
import { freePorts } from "../support/nginx.ts";
import { QUICK, startCluster } from "../support/postgres/cluster.ts";
import {
	ANY_VERSION,
	testOnPostgres,
} from "../support/postgres/test-on-postgres.ts";
import { runTool, toolPath } from "../support/tools.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

interface Rule {
	readonly alert: string;
	readonly expr: string;
	readonly labels: Record<string, string>;
	readonly annotations: Record<string, string>;
}

const file = join(import.meta.dir, "../../deploy/alerts.yml");
const { groups } = Bun.YAML.parse(await Bun.file(file).text()) as {
	readonly groups: readonly { readonly name: string; rules: readonly Rule[] }[];
};

/** promtool takes a while for three hours. */
const LONG_MS = 60_000;

/** What Prometheus itself tells of whatever it reads. */
const OWN = new Set(["up"]);

const folder = useTemporaryFolder();

/** The metrics that the rules of a group ask for. */
function asked(group: string): string[] {
	const expressions = groups
		.filter(({ name }) => name === group)
		.flatMap(({ rules }) => rules.map(({ expr }) => expr));
	expect(expressions.length).toBeGreaterThan(2);
	// What has labels or a time, or stands before a comparison: everything that is no function and no label.
	const words = expressions
		.join("\n")
		.replaceAll(/\{[^}]*\}|\bby \([^)]*\)|\[\w+\]|\b\d[\de]*\b/g, " ")
		.matchAll(/\b[a-z_]+\b(?! *\()/g);
	return [...new Set([...words].map(([word]) => word))].filter(
		(word) => !OWN.has(word) && word !== "by",
	);
}

/** The metrics that an instance tells after a request. */
async function told(...args: string[]): Promise<Set<string>> {
	const [port] = await freePorts(1);
	const resort = await serve(
		["--port", "0", "--metrics", "--metrics-port", String(port), ...args],
		{ cwd: folder.path },
	);
	await fetch(`${resort.url}/api/lobby`);
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	await resort.stop();
	const { samples } = readExposition(text);
	return new Set([...samples.keys()].map((name) => name.replace(/\{.*/, "")));
}

describe("deploy/alerts.yml", () => {
	test("asks only for metrics that there are", async () => {
		const names = await told("--webhooks", "on");
		expect(asked("resort")).toContain("resort_http_requests_total");
		expect(asked("resort").filter((name) => !names.has(name))).toEqual([]);
	});

	testOnPostgres(
		"asks only for metrics that there are with PostgreSQL",
		async (version) => {
			await using cluster = await startCluster({ version, settings: QUICK });
			const names = await told("--database", cluster.url);
			expect(asked("resort-postgres")).toContain("resort_database_up");
			expect(
				asked("resort-postgres").filter((name) => !names.has(name)),
			).toEqual([]);
		},
		undefined,
		ANY_VERSION,
	);

	test("names each alert once, says what to do, and whether to wake somebody", () => {
		const rules = groups.flatMap((group) => group.rules);
		const names = rules.map(({ alert }) => alert);
		expect(new Set(names).size).toBe(names.length);
		for (const { labels, annotations } of rules) {
			expect(["page", "ticket"]).toContain(labels.severity ?? "");
			expect(annotations.summary).toMatch(/^[A-Z].*[^.]$/);
			expect(annotations.description).toMatch(/^[A-Z].*[.?]$/);
		}
	});
});

/** Series that make an alert fire within three hours, and the labels that it has then; one value a minute. */
const fires: Record<
	string,
	[labels: Record<string, string>, ...series: [string, string][]]
> = {
	ResortDown: [{ job: "resort", instance: "a" }, ["up", "0x180"]],
	ResortRestarts: [
		{ job: "resort", instance: "a" },
		["process_start_time_seconds", "0+1x180"],
	],
	ResortUnhealthy: [
		{ job: "resort", instance: "a", route: "/api/health", status: "503" },
		["resort_http_requests_total", "0+6x180"],
	],
	ResortFailures: [
		{ instance: "a" },
		['resort_http_requests_total{instance="a",status="503"}', "0+6x180"],
		['resort_http_requests_total{instance="a",status="200"}', "0+100x180"],
	],
	ResortSlow: [
		{ instance: "a" },
		[
			'resort_http_request_duration_seconds_bucket{instance="a",le="0.5"}',
			"0+90x180",
		],
		[
			'resort_http_request_duration_seconds_bucket{instance="a",le="+Inf"}',
			"0+100x180",
		],
		[
			'resort_http_request_duration_seconds_bucket{instance="a",le="1"}',
			"0+100x180",
		],
	],
	ResortBusy: [
		{ instance: "a" },
		['resort_event_loop_lag_seconds_bucket{instance="a",le="0.1"}', "0+9x180"],
		['resort_event_loop_lag_seconds_bucket{instance="a",le="1"}', "0+10x180"],
		[
			'resort_event_loop_lag_seconds_bucket{instance="a",le="+Inf"}',
			"0+10x180",
		],
	],
	ResortChangesPending: [
		{ instance: "a" },
		["resort_database_changes_pending", "101x180"],
	],
	ResortLogOfDatabaseGrows: [
		{ instance: "a", file: "wal" },
		["resort_database_size_bytes", "268435457x180"],
	],
	ResortDatabaseGrows: [
		{ instance: "a", file: "main" },
		["resort_database_size_bytes", "0+1000000x180"],
	],
	ResortMemory: [
		{ job: "resort", instance: "a" },
		["process_resident_memory_bytes", "900000000x180"],
	],
	ResortLogLinesDropped: [
		{ instance: "a" },
		["resort_log_lines_dropped_total", "0+1x180"],
	],
	ResortRefusals: [
		{ instance: "a" },
		['resort_http_requests_total{instance="a",status="429"}', "0+700x180"],
		['resort_http_requests_total{instance="a",status="200"}', "0+700x180"],
	],
	ResortWebhooksWait: [
		{ instance: "a" },
		["resort_webhook_oldest_undelivered_seconds", "0+60x180"],
	],
	ResortDatabaseLost: [{ instance: "a" }, ["resort_database_up", "0x180"]],
	ResortLooksFail: [
		{ instance: "a" },
		["resort_database_look_failures_total", "0+1x180"],
	],
	ResortConnectionsShort: [
		{ instance: "a" },
		["resort_database_connection_waiters", "1x180"],
	],
};

/** CI does without: the package of Prometheus is large. */
const hasPromtool = toolPath("promtool") !== null;

describe.skipIf(!hasPromtool)("deploy/alerts.yml in promtool", () => {
	test("is a file of rules", async () => {
		const checked = await runTool("promtool", ["check", "rules", file]);
		expect(checked.output).toContain("SUCCESS: 16 rules found");
		expect(checked.exitCode).toBe(0);
	});

	test(
		"fires each alert, and none for a resort that is well",
		async () => {
			const rules = groups.flatMap((group) => group.rules);
			expect(Object.keys(fires)).toEqual(rules.map(({ alert }) => alert));
			const loud = rules.map((rule) => {
				const [labels, ...series] = fires[rule.alert] ?? [{}];
				const all = Object.entries(labels).map(([name, v]) => `${name}="${v}"`);
				return {
					interval: "1m",
					input_series: series.map(([name, values]) => ({
						series: name.endsWith("}") ? name : `${name}{${all}}`,
						values,
					})),
					alert_rule_test: [
						{
							eval_time: "3h",
							alertname: rule.alert,
							exp_alerts: [
								{
									exp_labels: { ...labels, ...rule.labels },
									exp_annotations: rule.annotations,
								},
							],
						},
					],
				};
			});
			const well = {
				interval: "1m",
				input_series: [
					{ series: 'up{job="resort"}', values: "1x180" },
					{
						series: 'process_start_time_seconds{job="resort"}',
						values: "5x180",
					},
					{
						series: 'resort_http_requests_total{status="200"}',
						values: "0+100x180",
					},
					{
						series: 'resort_http_requests_total{status="503"}',
						values: "0+4x180",
					},
					{ series: "resort_database_up", values: "1x180" },
					{ series: "resort_log_lines_dropped_total", values: "7x180" },
					{ series: "resort_database_changes_pending", values: "3x180" },
					{
						series: 'resort_database_size_bytes{file="main"}',
						values: "0+100000x180",
					},
				],
				alert_rule_test: rules.map(({ alert }) => ({
					eval_time: "3h",
					alertname: alert,
					exp_alerts: [],
				})),
			};
			const path = join(folder.path, "alerts.test.yml");
			// JSON is YAML.
			await Bun.write(
				path,
				JSON.stringify({ rule_files: [file], tests: [...loud, well] }),
			);
			const { exitCode, output } = await runTool("promtool", [
				...["test", "rules", path],
			]);
			expect(output).toContain("SUCCESS");
			expect(exitCode).toBe(0);
		},
		LONG_MS,
	);
});
