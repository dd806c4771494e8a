import { expect, test } from "bun:test";
import { SQL } from "bun";
import { run, serve } from "../../../support/executable.ts";
import { ProgramFolder, TemporaryFolder } from "../../../support/folder.ts";
import { startCluster } from "../support/cluster.ts";
import { createDatabase } from "../support/databases.ts";
import { startPair } from "../support/pair.ts";
import { startProxy } from "../support/proxy.ts";
import { startSilentHosts } from "../support/silent-hosts.ts";
import { testOnPostgres } from "../support/test-on-postgres.ts";

const PASSWORD = "hunter2";

/** The maximum duration of a failed start. */
const START_MS = 5_000;

async function refusal(database: string): Promise<string> {
	using folder = new TemporaryFolder();
	const startedAt = performance.now();
	const { exitCode, stdout, stderr } = await run(["serve", "--port", "0", "--database", database], {
		cwd: folder.path,
	});
	expect(performance.now() - startedAt).toBeLessThan(START_MS);
	expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
	expect(stderr).toStartWith("resort: cannot use the database postgres://");
	expect(stderr).not.toContain(PASSWORD);
	const [told = "", rest] = stderr.split("\n");
	expect(rest).toBe("");
	return told.replace("resort: cannot use the database ", "");
}

test("resort serve reports a missing server, or one of another protocol, in one line", async () => {
	const to = (host: string) => `postgres://ada:${PASSWORD}@${host}/house?sslmode=disable`;
	expect(await refusal(to("127.0.0.1:1"))).toBe(
		"postgres://ada@127.0.0.1:1/house?sslmode=disable: connection refused (ECONNREFUSED): check " +
			"that the server is running and that its listen_addresses include this address",
	);
	expect(await refusal(to("nowhere.invalid"))).toContain(": getaddrinfo ENOTFOUND nowhere.invalid");
	expect(await refusal("postgres://ada@/house?host=/nonexistent")).toStartWith(
		"postgres://ada@/house?host=/nonexistent&port=5432",
	);
	await using web = Bun.serve({ port: 0, fetch: () => new Response("hello") });
	const hello = `postgres://ada:${PASSWORD}@127.0.0.1:${web.port}/house`;
	expect(await refusal(hello)).toContain(": There was an error establishing an SSL connection");
});

test("resort serve gives up on servers that accept connections but do not respond", async () => {
	using silent = startSilentHosts();
	const told = await refusal(`postgres://ada@${silent.hosts}/house`);
	const each = `${silent.host}: timeout expired`;
	expect(told).toEndWith(`: ${Array(10).fill(each).join("; ")}`);
});

testOnPostgres("resort serve reports a refused login in one line", async () => {
	await using cluster = await startCluster({ password: PASSWORD });
	const database = await createDatabase(cluster.url, { name: "house" });
	await using sql = new SQL(database, { max: 1 });
	await sql.unsafe("create role eve login password 'hunter2'");
	const as = (user: string) => database.replace("//resort:", `//${user}:`);
	const cases: [database: string, told: string][] = [
		[as("eve").replace(PASSWORD, "x"), 'password authentication failed for user "eve" (28P01)'],
		[as("eve"), "permission denied for schema public (42501)"],
		[
			as("eve").replace(`:${PASSWORD}`, ""),
			"the server requests a password: write it to the password file of this user (~/.pgpass), or run this as the user that runs the instance",
		],
		[`${database}?sslmode=require`, "The server does not support SSL connections"],
	];
	for (const [address, told] of cases) {
		expect(await refusal(address)).toContain(`: ${told}`);
	}
});

testOnPostgres(
	"resort serve refuses a standby, and skips it if the URL lists the primary after it",
	async () => {
		await using pair = await startPair();
		const { primary, standby } = pair;
		expect(await refusal(standby.url)).toEndWith(
			": the server accepts no writes: it is a standby, or read-only (25006)",
		);
		await using proxy = await startProxy(primary.port);
		proxy.closeAtOnce();
		const both = `postgres://resort@127.0.0.1:${standby.port},127.0.0.1:${proxy.port}/postgres`;
		const told = await refusal(both);
		expect(told).toContain(`127.0.0.1:${standby.port}: the server accepts no `);
		// The client may wait for a response on a closed connection.
		expect(told).toMatch(
			new RegExp(
				`; 127.0.0.1:${proxy.port}: (Connection terminated unexpectedly|timeout expired|.*ECONNRESET)`,
			),
		);
		proxy.heal();
		using folder = new TemporaryFolder();
		const resort = await serve(["--port", "0", "--database", both], { cwd: folder.path });
		expect((await fetch(`${resort.url}/api/health`)).status).toBe(200);
		expect((await resort.stop()).exitCode).toBe(0);
	},
);

testOnPostgres("two instances that start together with --max-stay shorten each open stay once", async () => {
	await using cluster = await startCluster();
	using folder = new ProgramFolder();
	const start = (...more: string[]) =>
		folder.serve(["--port", "0", "--database", cluster.url, "--rate-limits", "off", ...more]);
	const first = await start();
	for (let guest = 0; guest < 20; guest++) {
		const { key } = await first.register();
		// Every second stay ends before --max-stay.
		await first.call("POST", "/api/checkin", { key, body: guest % 2 === 0 ? {} : { maxMinutes: 30 } });
	}
	await first.stop();
	await using sql = new SQL(cluster.url, { max: 1 });
	await sql.unsafe(`
		create table shortened (seq bigint);
		create function note() returns trigger language plpgsql as
			'begin insert into shortened values (new.seq); return null; end';
		create trigger note after update of ends_by on stays for each row execute function note()`);
	const instances = await Promise.all([start("--max-stay", "1"), start("--max-stay", "1")]);
	const stays = await sql`select seq, (ends_by - checked_in_at) / 60000 as minutes from stays order by seq`;
	expect(stays.map(({ minutes }: { minutes: string }) => Number(minutes))).toEqual(
		Array.from(stays, (_, at) => (at % 2 === 0 ? 60 : 30)),
	);
	const shortened = await sql`select seq from shortened order by seq`;
	expect([...shortened]).toEqual(
		stays.flatMap(({ seq }: { seq: string }, at: number) => (at % 2 ? [] : { seq })),
	);
	await Promise.all(instances.map(({ stop }) => stop()));
});
