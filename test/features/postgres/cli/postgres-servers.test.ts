/** Tests of `resort serve` and `resort doctor` with servers that refuse connections or may lose data. */
import { afterAll, expect, test } from "bun:test";
import { once } from "../../../../src/core/lib/once.ts";
import { StartError } from "../../../../src/core/lib/start-error.ts";
import { checkDatabase } from "../../../../src/features/postgres/doctor.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { startCluster } from "../support/cluster.ts";
import { change, createDatabase } from "../support/databases.ts";
import { startPair } from "../support/pair.ts";
import { connectTo, newDatabase, openPostgres } from "../support/shared.ts";
import { testOnPostgres } from "../support/test-on-postgres.ts";

const PASSWORD = "hunter2";

const START_MS = 5_000;

const folder = useTemporaryFolder();

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** A cluster that requires passwords, with the role `eve`. */
const cluster = once(async () => {
	const started = opened.use(await startCluster({ password: PASSWORD }));
	await change(started.url, `create role eve login password '${PASSWORD}'`);
	return started;
});
const pair = once(async () => opened.use(await startPair()));

const asEve = (url: string) => url.replace("//resort:", "//eve:");

/** Opens a database as `resort serve` does, and requires that this fails. Returns the reason. */
async function refusal(database: string): Promise<string> {
	const startedAt = performance.now();
	const error = await openPostgres(database).catch((error) => error);
	expect(performance.now() - startedAt).toBeLessThan(START_MS);
	expect(error).toBeInstanceOf(StartError);
	expect(error.message).toMatch(/^cannot use the database postgres:[^\n]*$/);
	expect(error.message).not.toContain(PASSWORD);
	return error.message.replace("cannot use the database ", "");
}

/** Runs `resort doctor`, and requires the exit code `ends`. Returns the report of each check by its name. */
async function doctor(ends: number, database: string, ...more: string[]) {
	const { exitCode, checks, stdout, stderr } = await folder.doctor(["--database", database, ...more]);
	expect({ exitCode, stderr }).toEqual({ exitCode: ends, stderr: "" });
	expect(stdout).not.toContain(PASSWORD);
	return checks;
}

/** Runs in this process the checks of `resort doctor` that concern the database. Returns their reports. */
async function examine(database: string, connections = 4, clock = Date.now) {
	const config = { "database-connections": connections };
	const results = await checkDatabase({ database, config, environment: {}, maxBytes: 0 }, clock);
	const checks = Object.fromEntries(results.map(({ name, level, what }) => [name, `${level} ${what}`]));
	expect(Object.values(checks).join()).not.toContain(PASSWORD);
	return checks;
}

test("`resort serve` reports a missing server, or a server that is not PostgreSQL, in one line", async () => {
	const to = (host: string) => `postgres://ada:${PASSWORD}@${host}/house?sslmode=disable`;
	const serve = ["serve", "--port", "0", "--database", to("127.0.0.1:1")];
	expect(await folder.refuse(serve, "", 1)).toBe(
		"resort: cannot use the database postgres://ada@127.0.0.1:1/house?sslmode=disable: " +
			"connection refused (ECONNREFUSED): check that the server is running and that its listen_addresses include this address\n",
	);
	expect(await refusal(to("nowhere.invalid"))).toContain(": getaddrinfo ENOTFOUND nowhere.invalid");
	expect(await refusal("postgres://ada@/house?host=/nonexistent")).toStartWith(
		"postgres://ada@/house?host=/nonexistent&port=5432",
	);
	await using web = Bun.serve({ port: 0, fetch: () => new Response("hello") });
	const hello = `postgres://ada:${PASSWORD}@127.0.0.1:${web.port}/house`;
	expect(await refusal(hello)).toContain(": There was an error establishing an SSL connection");
});

test("the store and `resort doctor` give up on servers that accept connections but do not respond", async () => {
	using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	const hosts = Array<string>(10).fill(`127.0.0.1:${silent.port}`);
	const url = `postgres://ada:${PASSWORD}@${hosts}/house`;
	const told = await refusal(url);
	expect(told).toEndWith(`: ${hosts.map((host) => `${host}: timeout expired`).join("; ")}`);
	const startedAt = performance.now();
	const checks = await doctor(1, url);
	expect(performance.now() - startedAt).toBeLessThan(START_MS);
	expect(checks.database).toMatch(/^fail postgres:\/\/ada@127\.0\.0\.1:.*timeout expired/);
	expect(checks).not.toHaveProperty("durability");
});

testOnPostgres("the store reports a refused login in one line", async () => {
	const database = await createDatabase((await cluster()).url, { name: "refused" });
	const eve = asEve(database);
	for (const [address, told] of [
		[eve.replace(PASSWORD, "x"), 'password authentication failed for user "eve" (28P01)'],
		[eve, "permission denied for schema public (42501)"],
		[
			eve.replace(`:${PASSWORD}`, ""),
			"the server requests a password: write it to the password file of this user (~/.pgpass), or run this as the user that runs the instance",
		],
		[`${database}?sslmode=require`, "The server does not support SSL connections"],
	] as const) {
		expect(await refusal(address)).toContain(`: ${told}`);
	}
});

testOnPostgres(
	"`resort doctor` checks an empty database and one that an instance serves, and changes neither",
	async () => {
		const { url, port } = await cluster();
		const database = await createDatabase(url, { name: "house" });
		const { database: found, "server clock": clock, ...others } = await doctor(0, database);
		expect(found).toMatch(/^warn postgres:.*, PostgreSQL 1\d\..* at 127\.0\.0\.1:\d+ has no tables yet/);
		expect(clock).toMatch(/^ok 0\.00\d s ahead of /);
		const said = Object.entries(others)
			.filter(([name]) => !/^--|^(open files|free disk|clock)$/.test(name))
			.map(([name, what]) => `${name}: ${what}`.replace(/ [\d.]+ (?=MiB|are free)/, " N "))
			.map((line) => line.replace(`${port}`, "PORT"));
		// To record the reports again, run this file with `--update-snapshots`.
		expect(said).toMatchSnapshot();
		await using direct = connectTo(database);
		expect(await direct.query("select 1 from pg_class where relname = 'heads'")).toHaveLength(0);

		const resort = await folder.serve(["--port", "0", "--database", database]);
		const served = await doctor(0, database, "--database-connections", "1000");
		expect(served.database).toMatch(/^ok .*, [\d.]+ MiB, no --max/);
		expect(served.connections).toMatch(/^warn \d+ are free .* needs 1000: raise max_connections, /);
		expect((await fetch(`${resort.url}/api/health`)).status).toBe(200);
		await resort.stop();

		await direct.query("update heads set n = 0 where slot = 0");
		expect((await examine(database)).database).toStartWith("warn ");
		await direct.query("update heads set n = 99 where slot = 0");
		expect((await examine(database)).database).toMatch(
			/^fail .*: it was written by a newer version of resort \(its schema is 99, this program uses \d+\); start that version$/,
		);
	},
);

testOnPostgres("`resort doctor` reports missing privileges and counts free connections", async () => {
	const database = await createDatabase((await cluster()).url, { name: "closed" });
	const eve = asEve(database);
	// Since PostgreSQL 15, only the owner of a database can create tables in it.
	const reason = "fail eve cannot create or write the tables: make it the owner of the database";
	expect((await examine(eve)).rights).toBe(reason);
	await (await openPostgres(database)).close();
	await change(database, "grant select on all tables in schema public to eve");
	expect((await examine(eve)).rights).toBe(reason);
	await change(
		database,
		"grant select, insert, update, delete on all tables in schema public to eve",
		"alter role eve connection limit 5",
		"alter role eve set synchronous_commit = remote_write",
	);
	const limited = await examine(eve, 5);
	expect(limited.rights).toBe("ok eve can read and write all tables");
	expect(limited.connections).toMatch(/^ok 5 are free /);
	expect(limited.durability).toMatch(/^warn synchronous_commit = remote_write: /);
	expect((await examine(eve, 6)).connections).toMatch(/^warn 5 are free .* needs 6: raise /);
	await change(database, "alter database closed connection limit 4");
	expect((await examine(eve, 5)).connections).toMatch(/^warn 4 are free .*: raise /);
});

testOnPostgres("the store refuses a standby, but accepts a URL of a standby and its primary", async () => {
	const { primary, standby } = await pair();
	expect(await refusal(standby.url)).toEndWith(
		": the server accepts no writes: it is a standby, or read-only (25006)",
	);
	const both = `postgres://resort@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
	const store = await openPostgres(both);
	expect(await store.isHealthy()).toBe(true);
	await store.close();
});

testOnPostgres("`resort doctor` reports how many standbys are connected", async () => {
	const { primary, standby } = await pair();
	expect((await examine(primary.url)).standbys).toBe(
		"ok 1 connected, 1 synchronous (synchronous_standby_names = standby)",
	);
	await change(primary.url, "create role eve login");
	const empty = await createDatabase(primary.url);
	expect((await examine(empty.replace("//resort@", "//eve@"))).standbys).toMatch(
		/^ok 1 connected, .*, grant this user the role pg_monitor$/,
	);
	expect((await examine(standby.url)).database).toContain("the server accepts no writes");
	await standby.shutDown();
	expect((await examine(primary.url)).standbys).toMatch(
		/^warn 0 connected, 0 synchronous \(synchronous_standby_names = standby\): every change waits/,
	);
	await standby.restart();
});

testOnPostgres("`resort doctor` warns if the server's clock is more than a second off", async () => {
	const database = await newDatabase();
	for (const [byMs, report] of [
		[900, /^ok 0\.\d{3} s /],
		[-900, /^ok 0\.\d{3} s /],
		[60_000, /^warn (60|59)\.\d{3} s behind this machine's: /],
		[-60_000, /^warn (60|59)\.\d{3} s ahead of this machine's: /],
	] as const) {
		const checks = await examine(database, 4, () => Date.now() + byMs);
		expect(checks["server clock"], `${byMs} ms`).toMatch(report);
	}
});
