import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { QUICK, startCluster } from "../../support/postgres/cluster.ts";
import {
	createDatabase,
	dropDatabase,
} from "../../support/postgres/databases.ts";
import { isAlive } from "../../support/postgres/processes.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { until } from "../../support/until.ts";

async function ask(
	url: string,
	statement: string,
	options: SQL.PostgresOrMySQLOptions = {},
): Promise<unknown[]> {
	await using sql = new SQL({ ...options, url, max: 1 });
	return [...(await sql.unsafe(statement).values()).flat()];
}

/** Where the data of a server is, as it says itself, and its process. */
async function placeOf(url: string): Promise<{ data: string; pid: number }> {
	const statement = `select current_setting('data_directory'),
		split_part(pg_read_file('postmaster.pid'), chr(10), 1)`;
	const [data, pid] = await ask(url, statement);
	return { data: String(data), pid: Number(pid) };
}

testOnPostgres(
	"a cluster is of its version and keeps what was committed through a kill",
	async (version) => {
		await using cluster = await startCluster({ version });
		const settings = `select current_setting('server_version_num')::int / 10000, current_user::text,
		current_setting('is_superuser'), current_setting('fsync'), current_setting('synchronous_commit'),
		current_setting('full_page_writes'), current_setting('max_connections'), current_setting('TimeZone')`;
		expect(await ask(cluster.url, settings)).toEqual([
			...[version, "resort", "on", "on", "on", "on", "200", "UTC"],
		]);
		const path = join(cluster.socketFolder, `.s.PGSQL.${cluster.port}`);
		const isSocket = "select inet_server_addr() is null";
		expect(await ask(cluster.url, isSocket, { path })).toEqual([true]);
		expect(await ask(cluster.url, isSocket)).toEqual([false]);
		await ask(cluster.url, "create table kept as select 7 as n");
		await cluster.restart();
		const { pid } = await placeOf(cluster.url);
		await ask(cluster.url, "update kept set n = 8");
		await cluster.kill();
		expect(isAlive(pid)).toBe(false);
		expect(cluster.server.isRunning).toBe(false);
		await expect(ask(cluster.url, "select 1")).rejects.toThrow();
		await cluster.restart();
		expect(await ask(cluster.url, "select n from kept")).toEqual([8]);
	},
);

testOnPostgres(
	"settings and a password may be given, and nothing is left at the end",
	async (version) => {
		for (const isKilled of [false, true]) {
			const cluster = await startCluster({
				version,
				settings: { ...QUICK, max_connections: "20", cluster_name: "it's" },
				password: "p@ss/word",
			});
			const settings = `select current_setting('fsync'), current_setting('synchronous_commit'),
			current_setting('full_page_writes'), current_setting('max_connections'), current_setting('cluster_name')`;
			expect(await ask(cluster.url, settings)).toEqual([
				...["off", "off", "off", "20", "it's"],
			]);
			const wrong = cluster.url.replace("p%40ss", "pass");
			await expect(ask(wrong, "select 1")).rejects.toThrow(
				"password authentication failed",
			);
			const { pid } = await placeOf(cluster.url);
			if (isKilled) await cluster.kill();
			await cluster.stop();
			expect(isAlive(pid)).toBe(false);
			expect(existsSync(cluster.socketFolder)).toBe(false);
		}
	},
);

testOnPostgres(
	"a database is fresh, or a copy, and goes with who is in it",
	async (version) => {
		await using cluster = await startCluster({ version, settings: QUICK });
		const first = await createDatabase(cluster.url, { name: 'a "name"' });
		const form = `select datname::text, pg_encoding_to_char(encoding)::text, datcollate::text, datctype::text
		from pg_database where datname = current_database()`;
		expect(await ask(first, form)).toEqual(['a "name"', "UTF8", "C", "C"]);
		await ask(first, "create table kept as select 7 as n");
		const copies = await Promise.all(
			[1, 2, 3].map(() => createDatabase(cluster.url, { template: first })),
		);
		expect(new Set(copies).size).toBe(3);
		for (const copy of copies) {
			expect(await ask(copy, "select n from kept")).toEqual([7]);
		}
		const [copy = ""] = copies;
		await using sql = new SQL(copy, { max: 1 });
		await sql`select 1`;
		await dropDatabase(copy);
		await dropDatabase(copy);
		const names =
			"select count(*)::int from pg_database where datname !~ '^(template|postgres)'";
		expect(await ask(cluster.url, names)).toEqual([3]);
		const empty = await createDatabase(cluster.url);
		await expect(ask(empty, "select n from kept")).rejects.toThrow(
			"does not exist",
		);
	},
);

for (const way of ["its stdin closes", "it is killed"] as const) {
	testOnPostgres(`serve.ts ends its cluster when ${way}`, async (version) => {
		const script = join(import.meta.dir, "../../support/postgres/serve.ts");
		const child = Bun.spawn([process.execPath, script, `${version}`], {
			stdin: "pipe",
			stdout: "pipe",
		});
		const { value } = await child.stdout.getReader().read();
		const url = new TextDecoder().decode(value).trim();
		const { data, pid } = await placeOf(url);
		expect(isAlive(pid)).toBe(true);
		if (way === "it is killed") child.kill("SIGKILL");
		else child.stdin.end();
		await child.exited;
		await until(() => !isAlive(pid) && !existsSync(join(data, "..")));
		if (way === "its stdin closes") expect(child.exitCode).toBe(0);
	});
}
