import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import * as schema from "../../src/store/tables.ts";
import { dbOf } from "../support/store.ts";

const folder = join(import.meta.dir, "../../migrations");
const files = readdirSync(folder)
	.filter((name) => name.endsWith(".sql"))
	.toSorted();

describe("the embedded migrations", () => {
	test("are those of the folder, in the order of their numbers", () => {
		const statements = files.map((name) =>
			readFileSync(join(folder, name), "utf8").split(
				"--> statement-breakpoint",
			),
		);
		expect(migrations.length).toBeGreaterThan(0);
		expect(migrations).toEqual(statements);
	});

	test("are all that the journal names", () => {
		const journal: { entries: { tag: string }[] } = JSON.parse(
			readFileSync(join(folder, "meta/_journal.json"), "utf8"),
		);
		expect(journal.entries.map(({ tag }) => `${tag}.sql`)).toEqual(files);
	});

	test.each(Object.entries(schema))(
		"make the table of %s with all its columns and no other",
		async (_name, table) => {
			if (!is(table, SQLiteTable)) throw new Error("no table");
			const store = openStore(":memory:");
			const { sql } = dbOf(store).select().from(table).toSQL();
			const made = store.sqlite.prepare(sql);
			expect(made.columnNames).toHaveLength(
				Object.keys(getTableColumns(table)).length,
			);
			const all = store.sqlite.prepare(
				`SELECT * FROM ${/ from (\S+)/.exec(sql)?.[1]}`,
			);
			expect(all.columnNames.toSorted()).toEqual(made.columnNames.toSorted());
			made.finalize();
			all.finalize();
			await store.close();
		},
	);
});
