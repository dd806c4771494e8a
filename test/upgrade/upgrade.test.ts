/** Opens databases of all earlier schemas with the executable. */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, SQL } from "bun";
import { DAY_MS } from "../../src/core/lib/clock.ts";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { migrations as postgresMigrations } from "../../src/features/postgres/postgres-migrations.ts";
import { run, serve, temporaryFolder } from "../support/executable.ts";
import { newDatabase } from "../support/postgres/shared.ts";
import { testOnPostgres } from "../support/postgres/test-on-postgres.ts";
import { ask } from "../support/visit.ts";

const NOW = migrations.length;
const OPEN_STAYS = "SELECT agent_id FROM stays WHERE checked_out_at IS NULL";

/**
 * Databases by the schema that they have, and back-ups by the commit of the edition whose executable made
 * them.
 */
const kept = readdirSync(import.meta.dir)
	.filter((name) => name.endsWith(".sqlite.gz"))
	.map((name) => name.replace(".sqlite.gz", ""))
	.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
const editions = kept.filter((name) => Number.isNaN(Number(name)));

/** Rows of each table of an old database: the columns that it had, in the order of their making. */
type Tables = Readonly<Record<string, { columns: string[]; rows: unknown[] }>>;

/** A copy of a database, and the keys of its agents. */
async function place(name: string) {
	const folder = temporaryFolder();
	const file = join(folder.path, "resort.sqlite");
	const packed = Bun.file(join(import.meta.dir, `${name}.sqlite.gz`));
	await Bun.write(file, gunzipSync(await packed.bytes()));
	makeYoung(file);
	const keys = await readKeys(name);
	const schema = Number(query(file, (sqlite) => list(sqlite, "PRAGMA user_version")));
	return {
		folder: folder.path,
		file,
		keys,
		schema,
		backup: `${file}.v${schema}.bak`,
		serve: () => serve(["--port", "0"], { cwd: folder.path }),
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

function readKeys(name: string): Promise<Record<string, string>> {
	return Bun.file(join(import.meta.dir, `${name}.keys.json`)).json();
}

/**
 * Events are deleted after a week, and sessions when they expire: those of an old database are made as young
 * as they were when it was filled.
 */
function makeYoung(file: string): void {
	const sqlite = new Database(file);
	const tables = list(sqlite, "SELECT name FROM sqlite_schema");
	const nowMs = Date.now();
	if (tables.includes("events")) {
		sqlite.run("UPDATE events SET at = at + ? - (SELECT max(at) FROM events)", [nowMs]);
	}
	if (tables.includes("sessions")) {
		const expiresAt = nowMs + 7 * DAY_MS;
		sqlite.run("UPDATE sessions SET expires_at = expires_at + ? - (SELECT max(expires_at) FROM sessions)", [
			expiresAt,
		]);
	}
	sqlite.close();
}

function query<T>(file: string, read: (sqlite: Database) => T): T {
	const sqlite = new Database(file, { readonly: true });
	try {
		return read(sqlite);
	} finally {
		sqlite.close();
	}
}

/** Reads all rows, of the columns that are named or of all. */
function readTables(file: string, known?: Tables): Tables {
	return query(file, (sqlite) => {
		const names = known
			? Object.keys(known)
			: list(sqlite, "SELECT name FROM sqlite_schema WHERE type = 'table'");
		return Object.fromEntries(
			names.map((name) => {
				const columns =
					known?.[name]?.columns ?? list(sqlite, `SELECT name FROM pragma_table_info('${name}')`);
				// With their types, so that a number that became a text is found.
				const typed = columns.map((column) => `typeof("${column}"), "${column}"`);
				const rows = sqlite.query(`SELECT ${typed} FROM "${name}" ORDER BY rowid`).values();
				return [name, { columns, rows }];
			}),
		);
	});
}

function list(sqlite: Database, sql: string): string[] {
	return sqlite.query(sql).values().flat().map(String);
}

test("every schema before this one has left a database", () => {
	const needed = Array.from({ length: NOW - 1 }, (_, at) => at + 1);
	expect(needed.filter((schema) => !kept.includes(`${schema}`))).toEqual([]);
});

describe.each(kept)("the database %s", (name) => {
	test("is migrated with every row, and kept as it was; statuses and counts are right", async () => {
		using old = await place(name);
		const { schema } = old;
		const before = readTables(old.file);
		expect(before.agents?.rows.length).toBeGreaterThan(20);
		expect(before.activity_log?.rows.length).toBeGreaterThan(50);
		const [gone, present, open] = [
			"SELECT id FROM agents WHERE deactivated_at IS NOT NULL",
			"SELECT id FROM agents WHERE deactivated_at IS NULL ORDER BY seq",
			OPEN_STAYS,
		].map((sql) => query(old.file, (sqlite) => list(sqlite, sql))) as [string[], string[], string[]];
		const statuses = present.map((id) => ({
			id,
			status: open.includes(id) ? ("relaxing" as const) : ("available" as const),
		}));
		expect(gone).not.toBeEmpty();
		expect(new Set(statuses.map(({ status }) => status)).size).toBe(2);

		const instance = await old.serve();
		const ids = [...gone, ...present].join(",");
		const read = await ask(instance.url, "GET", `/api/agents/status?ids=${ids}`);
		const { exitCode } = await instance.stop();
		expect(exitCode).toBe(0);
		expect(read.statuses.map(({ agent, status }) => ({ id: agent.id, status }))).toEqual(statuses);
		expect(readTables(old.file, before)).toEqual(before);
		const pragmas = query(old.file, (sqlite) => [
			...list(sqlite, "PRAGMA user_version"),
			...list(sqlite, "PRAGMA integrity_check"),
			...list(sqlite, "PRAGMA foreign_key_check"),
		]);
		expect(pragmas).toEqual([`${NOW}`, "ok"]);

		const [counted = [], stored = []] = query(old.file, (sqlite) =>
			[
				`SELECT stays.id, count(experience_id) FROM stays
				LEFT JOIN activity_log ON stay_id = stays.id GROUP BY stays.id ORDER BY stays.id`,
				"SELECT id, experiences_completed FROM stays ORDER BY id",
			].map((sql) => sqlite.query(sql).values()),
		);
		expect(stored).toEqual(counted);
		const done = counted.filter(([, count]) => Number(count) > 1);
		// Of the first schema there were no experiences yet.
		expect(done.length > 10).toBe(schema > 1);

		expect(existsSync(old.backup)).toBe(schema < NOW);
		if (schema === NOW) return;
		expect(readTables(old.backup)).toEqual(before);
		const version = query(old.backup, (sqlite) => list(sqlite, "PRAGMA user_version"));
		expect(version).toEqual([`${schema}`]);
	});

	test("lets its agents in with their keys, and takes new stays", async () => {
		using old = await place(name);
		const countStays = () => Number(query(old.file, (sqlite) => list(sqlite, "SELECT count(*) FROM stays")));
		const before = countStays();
		const instance = await old.serve();
		const done = await visit(instance.url, old.keys);
		await instance.stop();
		expect(countStays()).toBe(before + done);
	});
});

test.each(editions)("a back-up of %s is restored, and served", async (name) => {
	using old = await place(name);
	using empty = temporaryFolder();
	const there = { cwd: empty.path };
	const restored = await run(["restore", old.file], there);
	expect(restored).toMatchObject({ exitCode: 0 });
	const instance = await serve(["--port", "0"], there);
	await visit(instance.url, await readKeys(name));
	expect((await instance.stop()).exitCode).toBe(0);
	const file = join(empty.path, "resort.sqlite");
	const before = readTables(old.file);
	const { agents, experiences } = readTables(file, before);
	expect({ agents: agents?.rows.length, experiences }).toEqual({
		agents: before.agents?.rows.length,
		experiences: before.experiences,
	});
});

testOnPostgres("the PostgreSQL database of c3c1449 is migrated, and served", async () => {
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
	using folder = temporaryFolder();
	const instance = await serve(["--port", "0", "--database", url], { cwd: folder.path });
	const done = await visit(instance.url, await readKeys("c3c1449"));
	expect((await instance.stop()).exitCode).toBe(0);
	expect(await count()).toEqual([agents, activities + done, postgresMigrations.length]);
});

/** Checks each agent out if it is in, then in and out again, with its key. Returns the number of stays. */
async function visit(url: string, keys: Readonly<Record<string, string>>): Promise<number> {
	const ids = Object.keys(keys);
	const { statuses } = await ask(url, "GET", `/api/agents/status?ids=${ids}`);
	expect(new Set(statuses.map(({ status }) => status)).size).toBe(2);
	for (const { agent, status } of statuses) {
		const key = keys[agent.id];
		const me = await ask(url, "GET", "/api/me", { key });
		expect(me.agent.id).toBe(agent.id);
		const post = (path: string) => ask(url, "POST", `/api/${path}`, { key });
		if (status === "relaxing") await post("checkout");
		await post("checkin");
		await post("activities/tidepool-float/do");
		await post("checkout");
	}
	return ids.length;
}
