/** Opens what every earlier schema left behind, with the executable. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "bun";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { serve, temporaryFolder } from "../support/executable.ts";
import { ask } from "../support/visit.ts";

const NOW = migrations.length;
const OPEN_STAYS = "SELECT agent_id FROM stays WHERE checked_out_at IS NULL";

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
	test("is migrated with every row, and kept as it was; statuses and counts are right", async () => {
		using old = await place(schema);
		const before = readTables(old.file);
		expect(before.agents?.rows.length).toBeGreaterThan(20);
		expect(before.activity_log?.rows.length).toBeGreaterThan(50);
		const [gone, present, open] = [
			"SELECT id FROM agents WHERE deactivated_at IS NOT NULL",
			"SELECT id FROM agents WHERE deactivated_at IS NULL ORDER BY seq",
			OPEN_STAYS,
		].map((sql) => query(old.file, (sqlite) => list(sqlite, sql))) as [
			string[],
			string[],
			string[],
		];
		const statuses = present.map((id) => ({
			id,
			status: open.includes(id)
				? ("relaxing" as const)
				: ("available" as const),
		}));
		expect(gone).not.toBeEmpty();
		expect(new Set(statuses.map(({ status }) => status)).size).toBe(2);

		const instance = await old.serve();
		const ids = [...gone, ...present].join(",");
		const read = await ask(
			instance.url,
			"GET",
			`/api/agents/status?ids=${ids}`,
		);
		const { exitCode } = await instance.stop();
		expect(exitCode).toBe(0);
		expect(
			read.statuses.map(({ agent, status }) => ({ id: agent.id, status })),
		).toEqual(statuses);
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
		const version = query(old.backup, (sqlite) =>
			list(sqlite, "PRAGMA user_version"),
		);
		expect(version).toEqual([`${schema}`]);
	});

	test("lets its agents in with their keys, and takes new stays", async () => {
		using old = await place(schema);
		const countStays = () =>
			Number(
				query(old.file, (sqlite) => list(sqlite, "SELECT count(*) FROM stays")),
			);
		const before = countStays();
		const open = query(old.file, (sqlite) => list(sqlite, OPEN_STAYS));
		const isOpen = ([id]: [string, string]) => open.includes(id);
		const all = Object.entries(old.keys);
		const some = [
			...all.filter(isOpen).slice(0, 3),
			...all.filter((one) => !isOpen(one)).slice(0, 3),
		];
		expect(some).toHaveLength(6);
		const instance = await old.serve();
		for (const [id, key] of some) {
			const { agent } = await ask(instance.url, "GET", "/api/me", key);
			expect(agent.id).toBe(id);
			const post = (path: string) => ask(instance.url, "POST", path, key);
			if (open.includes(id)) await post("/api/checkout");
			await post("/api/checkin");
			await post("/api/activities/tidepool-float/do");
			await post("/api/checkout");
		}
		await instance.stop();
		expect(countStays()).toBe(before + some.length);
	});
});
