import { expect, test } from "bun:test";
import { SQL } from "bun";
import { checkDatabase } from "../../../../src/features/postgres/doctor.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { change } from "../copy/copy-folder.ts";
import { startCluster } from "../support/cluster.ts";
import { createDatabase } from "../support/databases.ts";
import { startPair } from "../support/pair.ts";
import { startSilentHosts } from "../support/silent-hosts.ts";
import { testOnPostgres } from "../support/test-on-postgres.ts";

const PASSWORD = "hunter2";

const folder = useTemporaryFolder();

const examination = { config: { "database-connections": 4 }, environment: {}, maxBytes: 0 };

async function doctor(database: string, ...more: string[]) {
	const args = ["--database", database, ...more];
	const { exitCode, checks, stdout, stderr } = await folder.doctor(args);
	expect(stderr).toBe("");
	expect(stdout).not.toContain(PASSWORD);
	return { exitCode, checks };
}

test("resort doctor reports an unreachable server in one line, in time", async () => {
	using silent = startSilentHosts();
	const startedAt = performance.now();
	const { exitCode, checks } = await doctor(`postgres://ada:${PASSWORD}@${silent.hosts}/house`);
	expect(performance.now() - startedAt).toBeLessThan(5_000);
	expect(exitCode).toBe(1);
	expect(checks.database).toStartWith("fail postgres://ada@127.0.0.1:");
	expect(checks.database).toContain("timeout expired");
	expect(checks).not.toHaveProperty("durability");
});

testOnPostgres(
	"resort doctor reports on an empty and on a served database, and changes nothing",
	async () => {
		await using cluster = await startCluster({ password: PASSWORD });
		const database = await createDatabase(cluster.url, { name: "house" });
		const empty = await doctor(database);
		expect(empty.exitCode).toBe(0);
		const { database: found, "server clock": clock, ...others } = empty.checks;
		expect(found).toMatch(/^warn postgres:.*, PostgreSQL 1\d\..* at 127\.0\.0\.1:\d+ has no tables yet/);
		expect(clock).toMatch(/^ok 0\.00\d s ahead of /);
		const said = Object.entries(others)
			.filter(([name]) => !/^--|^(open files|free disk|clock)$/.test(name))
			.map(([name, what]) => `${name}: ${what}`.replace(/ \d+ (?=MiB|are free)/, " N "))
			.map((line) => line.replace(`${cluster.port}`, "PORT"));
		// To record it again, add --update-snapshots.
		expect(said).toMatchSnapshot();
		await using sql = new SQL(database, { max: 1 });
		expect(await sql`select 1 from pg_class where relname = 'heads'`).toEqual([]);

		const resort = await folder.serve(["--port", "0", "--database", database]);
		const served = await doctor(database, "--database-connections", "1000");
		expect(served.exitCode).toBe(0);
		expect(served.checks.database).toMatch(/^ok .*, \d+ MiB, no --max/);
		expect(served.checks.connections).toMatch(/^warn \d+ are free .* needs 1000: raise max_connections, /);
		expect((await fetch(`${resort.url}/api/health`)).status).toBe(200);
		await resort.stop();

		await sql.unsafe("update heads set n = 0 where slot = 0");
		const older = await doctor(database);
		expect(older.exitCode).toBe(0);
		expect(older.checks.database).toStartWith("warn ");
		await sql.unsafe("update heads set n = 99 where slot = 0");
		const newer = await doctor(database);
		expect(newer.exitCode).toBe(1);
		expect(newer.checks.database).toMatch(/^fail .*: it was written by a newer version of resort/);
	},
);

testOnPostgres("resort doctor reports missing privileges and the free connections", async () => {
	await using cluster = await startCluster();
	const database = await createDatabase(cluster.url, { name: "house" });
	await change(cluster.url, "create role eve login");
	const eve = database.replace("//resort@", "//eve@");
	// Since version 15, only the owner can create tables.
	const without = await doctor(eve);
	expect(without.exitCode).toBe(1);
	const reason = "fail eve cannot create or write the tables: make it the owner of the database";
	expect(without.checks.rights).toBe(reason);
	const resort = await folder.serve(["--port", "0", "--database", database]);
	await resort.stop();
	await change(database, "grant select on all tables in schema public to eve");
	expect((await doctor(eve)).checks.rights).toBe(reason);
	await change(
		database,
		"grant select, insert, update, delete on all tables in schema public to eve",
		"alter role eve connection limit 5",
		"alter role eve set synchronous_commit = remote_write",
	);
	const doctorFor = (needed: string) => doctor(eve, "--database-connections", needed);
	const connectionsFor = async (needed: string) => (await doctorFor(needed)).checks.connections;
	const limited = await doctorFor("5");
	expect(limited.exitCode).toBe(0);
	expect(limited.checks.rights).toBe("ok eve can read and write all tables");
	expect(limited.checks.connections).toMatch(/^ok 5 are free /);
	expect(limited.checks.durability).toMatch(/^warn synchronous_commit = remote_write: /);
	expect(await connectionsFor("6")).toMatch(/^warn 5 are free .* needs 6: raise /);
	await change(cluster.url, "alter database house connection limit 4");
	expect(await connectionsFor("5")).toMatch(/^warn 4 are free .*: raise /);
});

testOnPostgres("resort doctor warns of settings that may lose acknowledged writes", async () => {
	const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };
	await using cluster = await startCluster({ settings });
	const { exitCode, checks } = await doctor(cluster.url);
	expect(exitCode).toBe(0);
	expect(checks.durability).toStartWith("warn ");
	for (const name of Object.keys(settings)) expect(checks.durability).toContain(`${name} = off: `);
	await change(cluster.url, "alter role resort set synchronous_commit = local");
	expect((await doctor(cluster.url)).checks.durability).toContain("synchronous_commit = local: ");
});

testOnPostgres("resort doctor reports standbys", async () => {
	await using pair = await startPair();
	const { primary, standby } = pair;
	expect((await doctor(primary.url)).checks.standbys).toBe(
		"ok 1 connected, 1 synchronous (synchronous_standby_names = standby)",
	);
	await change(primary.url, "create role eve login");
	expect((await doctor(primary.url.replace("//resort@", "//eve@"))).checks.standbys).toMatch(
		/^ok 1 connected, .*, grant this user the role pg_monitor$/,
	);
	const alone = await doctor(standby.url);
	expect(alone.exitCode).toBe(1);
	expect(alone.checks.database).toContain("the server accepts no writes");
	await standby.shutDown();
	expect((await doctor(primary.url)).checks.standbys).toMatch(
		/^warn 0 connected, 0 synchronous \(synchronous_standby_names = standby\): every change waits/,
	);
});

testOnPostgres("resort doctor warns of clocks that differ by more than a second", async () => {
	await using cluster = await startCluster();
	for (const [byMs, level, what] of [
		[900, "ok", /^0\.\d{3} s /],
		[-900, "ok", /^0\.\d{3} s /],
		[60_000, "warn", /^(60|59)\.\d{3} s behind this machine's: /],
		[-60_000, "warn", /^(60|59)\.\d{3} s ahead of this machine's: /],
	] as const) {
		const found = await checkDatabase({ ...examination, database: cluster.url }, () => Date.now() + byMs);
		const clock = found.find(({ name }) => name === "server clock");
		expect([byMs, clock?.level]).toEqual([byMs, level]);
		expect(clock?.what).toMatch(what);
	}
});
