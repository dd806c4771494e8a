/** Opens what every earlier schema left behind, with the executable. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "bun";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { serve, temporaryFolder } from "../support/executable.ts";
import { ask } from "./ask.ts";

const NOW = migrations.length;

const kept = readdirSync(import.meta.dir)
	.filter((name) => name.endsWith(".sqlite.gz"))
	.map((name) => Number.parseInt(name, 10))
	.sort((a, b) => a - b);

/** Rows of each table of an old database: the columns that it had, in the order of their making. */
type Tables = Readonly<Record<string, { columns: string[]; rows: unknown[] }>>;

/** A copy of the database of a schema, and the keys of its agents. */
async function place(schema: number) {
	const folder = temporaryFolder();
	const file = join(folder.path, "resort.sqlite");
	const packed = Bun.file(join(import.meta.dir, `${schema}.sqlite.gz`));
	await Bun.write(file, gunzipSync(await packed.bytes()));
	makeEventsYoung(file);
	const keys: Record<string, string> = await Bun.file(
		join(import.meta.dir, `${schema}.keys.json`),
	).json();
	return {
		file,
		keys,
		backup: `${file}.v${schema}.bak`,
		serve: () => serve(["--port", "0"], { cwd: folder.path }),
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

/** Events are forgotten after a week: those of an old database are made as young as they were when it was filled. */
function makeEventsYoung(file: string): void {
	const sqlite = new Database(file);
	const tables = list(sqlite, "SELECT name FROM sqlite_schema");
	if (tables.includes("events")) {
		sqlite.run("UPDATE events SET at = at + ? - (SELECT max(at) FROM events)", [
			Date.now(),
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
					known?.[name]?.columns ??
					list(sqlite, `SELECT name FROM pragma_table_info('${name}')`);
				// With their types, so that a number that became a text is found.
				const typed = columns.map(
					(column) => `typeof("${column}"), "${column}"`,
				);
				const rows = sqlite
					.query(`SELECT ${typed} FROM "${name}" ORDER BY rowid`)
					.values();
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
	expect(needed.filter((schema) => !kept.includes(schema))).toEqual([]);
});

describe.each(kept)("the database of schema %d", (schema) => {
	test("is brought to this one and keeps every row as it was", async () => {
		using old = await place(schema);
		const before = readTables(old.file);
		expect(before.agents?.rows.length).toBeGreaterThan(20);
		expect(before.activity_log?.rows.length).toBeGreaterThan(50);
		const instance = await old.serve();
		const { exitCode } = await instance.stop();
		expect(exitCode).toBe(0);
		expect(readTables(old.file, before)).toEqual(before);
		const pragmas = query(old.file, (sqlite) => [
			...list(sqlite, "PRAGMA user_version"),
			...list(sqlite, "PRAGMA integrity_check"),
			...list(sqlite, "PRAGMA foreign_key_check"),
		]);
		expect(pragmas).toEqual([`${NOW}`, "ok"]);
	});

	test("is kept as it was, when it is older", async () => {
		using old = await place(schema);
		const before = readTables(old.file);
		await (await old.serve()).stop();
		expect(existsSync(old.backup)).toBe(schema < NOW);
		if (schema === NOW) return;
		expect(readTables(old.backup)).toEqual(before);
		const version = query(old.backup, (sqlite) =>
			list(sqlite, "PRAGMA user_version"),
		);
		expect(version).toEqual([`${schema}`]);
	});

	test("tells the right status of every agent, also of those who have left", async () => {
		using old = await place(schema);
		const expected = query(old.file, (sqlite) =>
			sqlite
				.query<{ id: string; status: "available" | "relaxing" }, []>(
					`SELECT id, CASE WHEN EXISTS (SELECT 1 FROM stays WHERE agent_id = agents.id AND checked_out_at IS NULL)
					THEN 'relaxing' ELSE 'available' END AS status
					FROM agents WHERE deactivated_at IS NULL ORDER BY seq`,
				)
				.all(),
		);
		const gone = query(old.file, (sqlite) =>
			list(sqlite, "SELECT id FROM agents WHERE deactivated_at IS NOT NULL"),
		);
		expect(gone.length).toBeGreaterThan(0);
		const statuses = new Set(expected.map(({ status }) => status));
		expect([...statuses].sort()).toEqual(["available", "relaxing"]);
		const instance = await old.serve();
		const ids = [...gone, ...expected.map(({ id }) => id)].join(",");
		const told = await ask(instance.url, `GET /api/agents/status?ids=${ids}`);
		await instance.stop();
		expect(
			told.body.statuses.map(({ agent, status }) => ({ id: agent.id, status })),
		).toEqual(expected);
	});

	test("has counted the experiences of every stay", async () => {
		using old = await place(schema);
		await (await old.serve()).stop();
		const [counted = [], kept = []] = query(old.file, (sqlite) =>
			[
				`SELECT stays.id, count(experience_id) FROM stays
				LEFT JOIN activity_log ON stay_id = stays.id GROUP BY stays.id ORDER BY stays.id`,
				"SELECT id, experiences_completed FROM stays ORDER BY id",
			].map((sql) => sqlite.query(sql).values()),
		);
		expect(kept).toEqual(counted);
		const done = counted.filter(([, count]) => Number(count) > 1);
		// Of the first schema there were no experiences yet.
		expect(done.length > 10).toBe(schema > 1);
	});

	test("lets its agents in with their keys, and takes new stays", async () => {
		using old = await place(schema);
		const stays = query(old.file, (sqlite) =>
			list(sqlite, "SELECT count(*) FROM stays"),
		);
		const instance = await old.serve();
		for (const [id, key] of Object.entries(old.keys)) {
			const me = await ask(instance.url, "GET /api/me", key);
			expect({ status: me.status, id: me.body.agent?.id }).toEqual({
				status: 200,
				id,
			});
			const first = await ask(instance.url, "POST /api/checkout", key);
			expect(first.status).toBeOneOf([200, 400]);
			for (const call of [
				"POST /api/checkin",
				"POST /api/activities/tidepool-float/do",
				"POST /api/checkout",
			]) {
				const { status, body } = await ask(instance.url, call, key);
				expect(status, `${call}: ${body.error}`).toBeOneOf([200, 201]);
			}
		}
		await instance.stop();
		const after = query(old.file, (sqlite) =>
			list(sqlite, "SELECT count(*) FROM stays"),
		);
		const made = Object.keys(old.keys).length;
		expect(made).toBeGreaterThan(20);
		expect(Number(after)).toBe(Number(stays) + made);
	});
});
