/** Tests of the upgrade: the executable opens databases with all earlier schemas. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, SQL } from "bun";
import { DAY_MS, HOUR_MS } from "../../src/core/lib/clock.ts";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { migrations as postgresMigrations } from "../../src/features/postgres/postgres-migrations.ts";
import { newDatabase } from "../features/postgres/support/shared.ts";
import { testOnPostgres } from "../features/postgres/support/test-on-postgres.ts";
import { resortAt } from "../support/calls.ts";
import { run, serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";

const NOW = migrations.length;

/**
 * The names of the recorded databases: the number of the schema, or for a backup, the commit of the
 * executable that made it.
 */
const kept = readdirSync(import.meta.dir)
	.filter((name) => name.endsWith(".sqlite.gz"))
	.map((name) => name.replace(".sqlite.gz", ""))
	.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
const editions = kept.filter((name) => Number.isNaN(Number(name)));

/** The columns of each table, in the order in which they were created, and the rows of the table. */
type Tables = Readonly<Record<string, { columns: string[]; rows: unknown[] }>>;

/** Unpacks a database into a new folder. Also returns the keys of its agents. */
async function unpack(name: string) {
	const folder = new TemporaryFolder();
	const file = join(folder.path, "resort.sqlite");
	const packed = Bun.file(join(import.meta.dir, `${name}.sqlite.gz`));
	await Bun.write(file, gunzipSync(await packed.bytes()));
	makeYoung(file);
	return {
		file,
		keys: await readKeys(name),
		serve: () => serve(["--port", "0"], { cwd: folder.path }),
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

function readKeys(name: string): Promise<Record<string, string>> {
	return Bun.file(join(import.meta.dir, `${name}.keys.json`)).json();
}

/**
 * Sets the times of events, sessions and idempotency keys as if the database had been filled now, because
 * events are deleted after a week, and the others when they expire.
 */
function makeYoung(file: string): void {
	const names = list(file, "SELECT name FROM sqlite_schema");
	using sqlite = new Database(file);
	for (const [table, column, newestMs] of [
		["events", "at", Date.now()],
		["sessions", "expires_at", Date.now() + 7 * DAY_MS],
		["idempotency_keys", "expires_at", Date.now() + HOUR_MS],
	] as const) {
		if (!names.includes(table)) continue;
		sqlite.run(`UPDATE ${table} SET ${column} = ${column} + ? - (SELECT max(${column}) FROM ${table})`, [
			newestMs,
		]);
	}
}

/** Runs a query and returns the values of its rows. */
function query(file: string, sql: string): unknown[][] {
	using sqlite = new Database(file, { readonly: true });
	return sqlite.query<unknown[], []>(sql).values();
}

/** Runs queries and returns all of their values in one list. */
function list(file: string, ...queries: string[]): string[] {
	return queries.flatMap((sql) => query(file, sql).flat()).map(String);
}

/** Reads the rows of all tables with all columns, or only of the tables and columns in `known`. */
function readTables(file: string, known?: Tables): Tables {
	const names = known
		? Object.keys(known)
		: list(file, "SELECT name FROM sqlite_schema WHERE type = 'table'");
	const tables = names.map((name) => {
		const columns = known?.[name]?.columns ?? list(file, `SELECT name FROM pragma_table_info('${name}')`);
		// The rows include the types of the values, because a migration could change a number to a text by mistake.
		const typed = columns.map((column) => `typeof("${column}"), "${column}"`);
		// The row "log" contains the name of the last run.
		const where = name === "sqlite_sequence" ? "WHERE name <> 'log'" : "";
		return [name, { columns, rows: query(file, `SELECT ${typed} FROM "${name}" ${where} ORDER BY rowid`) }];
	});
	return Object.fromEntries(tables);
}

test("there is a recorded database of every earlier schema, for the tests of the migrations", () => {
	const needed = Array.from({ length: NOW - 1 }, (_, at) => at + 1);
	expect(needed.filter((schema) => !kept.includes(`${schema}`))).toEqual([]);
});

test.each(kept)(
	"`resort serve` migrates `%s.sqlite.gz`, keeps its rows, leaves a backup, and accepts the agents' keys",
	async (name) => {
		using old = await unpack(name);
		const { file } = old;
		const [schema] = list(file, "PRAGMA user_version").map(Number) as [number];
		const before = readTables(file);
		expect(before.agents?.rows.length).toBeGreaterThan(20);
		expect(before.activity_log?.rows.length).toBeGreaterThan(50);
		const gone = list(file, "SELECT id FROM agents WHERE deactivated_at IS NOT NULL");
		expect(gone).not.toBeEmpty();
		const open = list(file, "SELECT agent_id FROM stays WHERE checked_out_at IS NULL");
		const present = list(file, "SELECT id FROM agents WHERE deactivated_at IS NULL ORDER BY seq");
		const statuses = present.map((id) => [id, open.includes(id) ? "relaxing" : "available"]);

		const instance = await old.serve();
		const ids = [...gone, ...present].join(",");
		const read = await instance.send("GET", `/api/agents/status?ids=${ids}`);
		expect(read.statuses.map(({ agent, status }) => [agent.id, status])).toEqual(statuses);
		expect(readTables(file, before)).toEqual(before);
		const pragmas = list(file, "PRAGMA user_version", "PRAGMA integrity_check", "PRAGMA foreign_key_check");
		expect(pragmas).toEqual([`${NOW}`, "ok"]);
		const counted = query(
			file,
			`SELECT stays.id, count(experience_id) FROM stays
		LEFT JOIN activity_log ON stay_id = stays.id GROUP BY stays.id ORDER BY stays.id`,
		);
		expect(query(file, "SELECT id, experiences_completed FROM stays ORDER BY id")).toEqual(counted);
		const done = counted.filter(([, count]) => Number(count) > 1);
		// A database with the first schema contains no experiences.
		expect(done.length > 10).toBe(schema > 1);
		const backup = `${file}.v${schema}.bak`;
		expect(existsSync(backup)).toBe(schema < NOW);
		if (schema < NOW) {
			expect(readTables(backup)).toEqual(before);
			expect(list(backup, "PRAGMA user_version")).toEqual([`${schema}`]);
		}
		const visits = await visit(instance.url, old.keys);
		expect((await instance.stop()).exitCode).toBe(0);
		const [stays] = list(file, "SELECT count(*) FROM stays");
		expect(Number(stays)).toBe((before.stays?.rows.length ?? 0) + visits);
	},
);

test.each(editions)("a backup by the executable of commit %s can be restored and served", async (name) => {
	using old = await unpack(name);
	using empty = new TemporaryFolder();
	const there = { cwd: empty.path };
	const restored = await run(["restore", old.file], there);
	expect(restored).toMatchObject({ exitCode: 0 });
	const instance = await serve(["--port", "0"], there);
	await visit(instance.url, old.keys);
	expect((await instance.stop()).exitCode).toBe(0);
	const file = join(empty.path, "resort.sqlite");
	const before = readTables(old.file);
	const { agents, experiences } = readTables(file, before);
	expect({ agents: agents?.rows.length, experiences }).toEqual({
		agents: before.agents?.rows.length,
		experiences: before.experiences,
	});
});

testOnPostgres("`resort serve` migrates a PostgreSQL database of the version at commit c3c1449", async () => {
	const url = await newDatabase();
	const dump = Bun.file(join(import.meta.dir, "c3c1449.sql.gz"));
	await using sql = new SQL({ url, max: 1 });
	await sql.unsafe(new TextDecoder().decode(gunzipSync(await dump.bytes())));
	const count = async () => {
		const [row] = await sql.unsafe(`SELECT (SELECT count(*) FROM public.agents) AS agents,
			(SELECT count(*) FROM public.activity_log) AS activities, (SELECT n FROM public.heads WHERE slot = 0) AS schema`);
		return Object.values(row).map(Number);
	};
	const [agents = 0, activities = 0, schema] = await count();
	expect([agents, activities, schema]).toEqual([28, 342, 4]);
	using folder = new TemporaryFolder();
	const instance = await serve(["--port", "0", "--database", url], { cwd: folder.path });
	const done = await visit(instance.url, await readKeys("c3c1449"));
	expect((await instance.stop()).exitCode).toBe(0);
	expect(await count()).toEqual([agents, activities + done, postgresMigrations.length]);
});

/**
 * Lets all agents make a new stay at the same time. Agents that are already relaxing check out first. Returns
 * the number of new stays.
 */
async function visit(url: string, keys: Readonly<Record<string, string>>): Promise<number> {
	const ids = Object.keys(keys);
	const { statuses } = await resortAt(url).send("GET", `/api/agents/status?ids=${ids}`);
	expect(new Set(statuses.map(({ status }) => status)).size).toBe(2);
	const visits = statuses.map(async ({ agent, status }) => {
		const key = keys[agent.id];
		const me = await resortAt(url).send("GET", "/api/me", { key });
		expect(me.agent.id).toBe(agent.id);
		const post = (path: string) => resortAt(url).send("POST", `/api/${path}`, { key });
		if (status === "relaxing") await post("checkout");
		await post("checkin");
		await post("activities/tidepool-float/do");
		await post("checkout");
	});
	await Promise.all(visits);
	return ids.length;
}
