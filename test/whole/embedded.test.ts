import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { tables } from "../support/store.ts";

const folder = join(import.meta.dir, "../../migrations");

test("the program embeds all migrations in `migrations/`, and no others, in the order of the journal there", async () => {
	const files = readdirSync(folder)
		.filter((name) => name.endsWith(".sql"))
		.toSorted();
	const statements = files.map((name) =>
		readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint"),
	);
	expect(migrations).toEqual(statements);
	const journal: { entries: { tag: string }[] } = await Bun.file(join(folder, "meta/_journal.json")).json();
	expect(journal.entries.map(({ tag }) => `${tag}.sql`)).toEqual(files);
});

test("the migrations create the tables that the source declares", async () => {
	const newest = readdirSync(join(folder, "meta"))
		.filter((name) => name.endsWith("_snapshot.json"))
		.toSorted()
		.at(-1);
	const snapshot = await Bun.file(join(folder, `meta/${newest}`)).json();
	const declared = await generateSQLiteDrizzleJson({ ...tables }, snapshot.id, "snake_case");
	expect(await generateSQLiteMigration(snapshot, declared)).toEqual([]);
});
