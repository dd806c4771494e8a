import { describe, expect, test } from "bun:test";
import dashboard from "../../deploy/grafana-dashboard.json";
import { prepareMetrics } from "../features/metrics/exposition.ts";
import { newDatabase } from "../features/postgres/support/shared.ts";
import { testOnPostgres } from "../features/postgres/support/test-on-postgres.ts";
import { readDocument } from "../support/documents.ts";
import { useTemporaryFolder } from "../support/folder.ts";

const { groups } = Bun.YAML.parse(readDocument("deploy/alerts.yml")) as {
	readonly groups: readonly { readonly name: string; rules: readonly { readonly expr: string }[] }[];
};

/** Metrics that Prometheus itself creates for every target. Instances do not export them. */
const OWN = new Set(["up"]);

const folder = useTemporaryFolder();

/** Returns the metrics that the rules of a group use. */
function metricsInRules(group: string): string[] {
	const expressions = groups
		.filter(({ name }) => name === group)
		.flatMap(({ rules }) => rules.map(({ expr }) => expr));
	expect(expressions.length).toBeGreaterThan(2);
	// Removes labels, times and numbers. The remaining names that are not functions are metrics.
	const words = expressions
		.join("\n")
		.replaceAll(/\{[^}]*\}|\bby \([^)]*\)|\[\w+\]|\b\d[\de]*\b/g, " ")
		.matchAll(/\b[a-z_]+\b(?! *\()/g);
	return [...new Set([...words].map(([word]) => word))].filter((word) => !OWN.has(word) && word !== "by");
}

/** Returns the metrics in the panels about PostgreSQL, or in all other panels of the dashboard. */
function metricsInPanels(isPostgres: boolean): string[] {
	const found = dashboard.panels
		.filter(({ title }) => title.startsWith("PostgreSQL") === isPostgres)
		.flatMap(({ targets }) => targets.map(({ expr }) => expr))
		.flatMap((query) => query.match(/\b(resort|process)_\w+/g) ?? []);
	expect(found.length).toBeGreaterThan(5);
	return found;
}

/** Returns the metrics that an instance exports after a request. */
async function exportedMetrics(...args: string[]): Promise<Set<string>> {
	const metrics = await prepareMetrics();
	const flags = ["--port", "0", ...metrics.flags, ...args];
	const resort = await folder.serve(flags);
	await fetch(`${resort.url}/api/lobby`);
	const samples = await metrics.scrape();
	await resort.stop();
	return new Set([...samples.keys()].map((name) => name.replace(/\{.*/, "")));
}

describe("deploy/alerts.yml and the dashboard", () => {
	test("use only existing metrics", async () => {
		const names = await exportedMetrics("--webhooks", "on");
		expect(metricsInRules("resort")).toContain("resort_http_requests_total");
		const all = [...metricsInRules("resort"), ...metricsInPanels(false)];
		expect(all.filter((name) => !names.has(name))).toEqual([]);
	});

	testOnPostgres("use only existing metrics in their rules and panels about PostgreSQL", async () => {
		const names = await exportedMetrics("--database", await newDatabase());
		expect(metricsInRules("resort-postgres")).toContain("resort_database_up");
		const all = [...metricsInRules("resort-postgres"), ...metricsInPanels(true)];
		expect(all.filter((name) => !names.has(name))).toEqual([]);
	});
});
