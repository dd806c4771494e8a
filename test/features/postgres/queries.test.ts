import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { toPostgres } from "../../../src/features/postgres/statements.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { openDatabase } from "./support/shared.ts";

const listed = Bun.spawnSync([process.execPath, join(import.meta.dir, "all-queries.ts")], {
	// The plugin of all-queries.ts prevents macros. Without this variable, Bun would cache modules that lack the
	// results of their macros, and later programs would use these modules.
	env: { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
});
const queries: string[] = JSON.parse(listed.stdout.toString());

test.each([
	[
		"replaces each ? by a numbered parameter, except in strings and quoted names",
		`select '?', "?", 'it''s ?', "a""?" where c in (?, ?)`,
		`select '?', "?", 'it''s ?', "a""?" where c in ($1, $2)`,
	],
	[
		"replaces a null by `default` only if it is the first value of an INSERT",
		`insert into "a" ("b", "c", "d") values (null, ?, null) returning "b"`,
		`insert into "a" ("b", "c", "d") values (default, $1, null) returning "b"`,
	],
])("toPostgres %s", (_, text, expected) => {
	expect(toPostgres(text)).toBe(expected);
});

test("SQLite accepts every query of the resort", () => {
	expect(queries.length).toBeGreaterThan(90);
	using sqlite = new Database(":memory:");
	sqlite.run(migrations.flat().join(";\n"));
	for (const text of queries) sqlite.prepare(text).finalize();
});

describeOnPostgres("PostgreSQL", () => {
	test("accepts every query of the resort, and infers a type for each parameter", async () => {
		await using connection = await openDatabase();
		const refused: string[] = [];
		for (const text of queries) {
			try {
				await connection.query(`prepare one as ${toPostgres(text)}`);
				await connection.query("deallocate one");
			} catch (error) {
				refused.push(`${error}: ${text}`);
			}
		}
		expect(refused).toEqual([]);
	});

	test("returns no column of the type numeric, because the client would read it as text", async () => {
		await using connection = await openDatabase();
		const decimal: string[] = [];
		for (const text of queries) {
			if (!text.startsWith("select")) continue;
			const plain = text.replaceAll("?", "null");
			const select = plain.replaceAll(/(limit|offset) null/g, "$1 0");
			await connection.query(`create temporary table answer as ${select}`);
			const found = await connection.query(
				"select attname from pg_attribute where attrelid = 'answer'::regclass and atttypid = 'numeric'::regtype",
			);
			if (found.length > 0) decimal.push(text);
			await connection.query("drop table answer");
		}
		expect(decimal).toEqual([]);
	});
});
