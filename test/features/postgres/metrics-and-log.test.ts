import { expect } from "bun:test";
import { linesOf } from "../../core/server/log-of.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { until } from "../../support/until.ts";
import { prepareMetrics } from "../metrics/exposition.ts";
import { startCluster } from "./support/cluster.ts";
import { startPair } from "./support/pair.ts";
import { connectTo } from "./support/shared.ts";
import { testOnPostgres as test } from "./support/test-on-postgres.ts";

const folder = useTemporaryFolder();

async function measured(database: string) {
	const { flags, scrape } = await prepareMetrics();
	const resort = await folder.serve([
		"--port=0",
		`--database=${database}`,
		"--database-connections=5",
		"--rate-limits=off",
		...flags,
	]);
	return {
		resort,
		scrape,
		async end() {
			const { exitCode, stderr } = await resort.stop();
			expect(exitCode).toBe(0);
			return linesOf(stderr);
		},
		[Symbol.asyncDispose]: () => resort.close(),
	};
}

test("the metrics count connections, standbys, checks for new commits, and changes that waited for a connection", async () => {
	await using pair = await startPair();
	await using instance = await measured(pair.primary.url);
	const { resort, scrape } = instance;
	const before = await scrape();
	expect(before.get("resort_database_up")).toBe(1);
	for (let times = 0; times < 3; times++) {
		await resort.register();
		expect((await fetch(`${resort.url}/api/lobby`)).status).toBe(200);
	}
	let offset = 0;
	await until(async () => {
		// The calls are concurrent, so that each connection pool opens all of its connections.
		const lists = [1, 2, 3, 4].map(() => fetch(`${resort.url}/api/postcards?offset=${offset++}`));
		await Promise.all([...lists, resort.register(), resort.register()]);
		const all = await scrape();
		const open = (pool: string) => all.get(`resort_database_connections{pool="${pool}"}`);
		return open("write") === 2 && open("read") === 2 && open("look") === 1;
	});
	const after = await scrape();
	const rise = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
	expect(rise("resort_database_changes_total")).toBeGreaterThanOrEqual(3);
	expect(rise("resort_database_looks_total")).toBeGreaterThanOrEqual(3);
	expect(rise("resort_database_look_seconds_total")).toBeGreaterThan(0);
	expect(rise("resort_database_look_failures_total")).toBe(0);
	expect(after.get("resort_database_connection_waiters")).toBe(0);
	expect(after.get("resort_database_connection_waits_total")).toBe(0);
	const standbys = (state: string) => after.get(`resort_database_standbys{sync_state="${state}"}`);
	expect([standbys("sync"), standbys("async")]).toEqual([1, 0]);
	expect([...after.keys()].join()).not.toContain("size_bytes");

	const { key } = await resort.register();
	const change = () => resort.call("PATCH", "/api/me", { key, body: { bio: "I came back." } });
	await using other = connectTo(pair.primary.url);
	// The first changes wait for the locked row, each with its own connection. The others wait for a connection.
	await other.query("begin; select 1 from agents for update");
	const waiting = Promise.all(Array.from({ length: 30 }, change));
	await until(async () => ((await scrape()).get("resort_database_connection_waits_total") ?? 0) > 0);
	await other.query("commit");
	await waiting;
	expect((await change()).status).toBe(200);
});

test("an outage of the database is logged at its beginning and its end, and the metrics stay available", async () => {
	await using cluster = await startCluster();
	await using instance = await measured(cluster.url);
	const { resort, scrape } = instance;
	const { key } = await resort.register();
	const checkIn = async () => (await resort.call("POST", "/api/checkin", { key })).status;
	await cluster.kill();
	await until(async () => (await scrape()).get("resort_database_up") === 0);
	for (let times = 0; times < 20; times++) {
		expect(await checkIn()).toBe(503);
	}
	const during = await scrape();
	expect(during.get('resort_database_connections{pool="read"}')).toBe(0);
	expect(during.has("resort_guests")).toBe(false);
	expect(during.get("resort_http_requests_in_flight")).toBe(0);
	await resort.waitForLog("database lost");
	await cluster.restart();
	await until(async () => (await scrape()).get("resort_database_up") === 1);
	// The server may still be slow, so the first check-ins may fail.
	await until(async () => (await checkIn()) === 201);
	expect((await scrape()).get("resort_guests")).toBe(1);
	await resort.waitForLog("database back");

	const lines = await instance.end();
	const of = (message: string) => lines.filter((line) => line.message === message);
	expect(of("database lost")).toMatchObject([
		{
			level: "ERROR",
			error: expect.stringMatching(/^connection refused|^Connection terminated|^the database system is/),
		},
	]);
	expect(of("database back")).toMatchObject([{ lastedMs: expect.any(Number) }]);
	// The schema of a new database is created, not migrated.
	expect(of("database migrated")).toEqual([]);
});
