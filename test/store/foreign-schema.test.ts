import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "bun";
import { openReadOnly } from "../../src/store/sqlite/open-database.ts";
import { schemaFault } from "../../src/store/sqlite/schema-check.ts";
import {
	migrate,
	migrations,
} from "../../src/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../support/program-folder.ts";
import { makeDatabaseOf } from "./older.ts";
import { insertAgent } from "./rows.ts";

const folder = useFreshFolder();
const NOW = migrations.length;
const upgrades = join(import.meta.dir, "../upgrade");
const kept = readdirSync(upgrades).filter((name) =>
	name.endsWith(".sqlite.gz"),
);

/** How a file differs from what this program makes. */
function faultOf(file: string): string | null {
	const sqlite = openReadOnly(file);
	try {
		return schemaFault(sqlite);
	} finally {
		sqlite.close();
	}
}

/** Changes a file as a plain SQLite database. */
function change(file: string, ...statements: string[]): void {
	const sqlite = new Database(file);
	for (const statement of statements) sqlite.run(statement);
	sqlite.close(true);
}

const versions = Array.from({ length: NOW + 1 }, (_, version) => version);

describe("a database as resort makes it has no fault", () => {
	test.each(versions)("of schema %d, step by step", (version) => {
		makeDatabaseOf(version, folder.file());
		expect(faultOf(folder.file())).toBeNull();
	});

	// Made by the programs and the SQLite of their time: what another SQLite writes in another way shows here.
	test.each(kept)("%s, before and after it is migrated", (name) => {
		const packed = readFileSync(join(upgrades, name));
		writeFileSync(folder.file(), gunzipSync(packed));
		expect(faultOf(folder.file())).toBeNull();
		const sqlite = new Database(folder.file());
		migrate(sqlite, folder.file());
		sqlite.close(true);
		expect(faultOf(folder.file())).toBeNull();
	});

	test("with rows, after ANALYZE and in a copy, and it opens", async () => {
		const store = openStore(folder.file());
		insertAgent(store, "a");
		store.sqlite.run(
			"INSERT INTO events (type, at, agent_id) VALUES ('x',1,'a')",
		);
		await store.close();
		change(folder.file(), "ANALYZE", `VACUUM INTO '${folder.file("copy")}'`);
		for (const name of ["resort.sqlite", "copy"]) {
			expect(faultOf(folder.file(name))).toBeNull();
			await openStore(folder.file(name)).close();
		}
	});
});

const spy =
	"CREATE TRIGGER spy AFTER INSERT ON postcards BEGIN UPDATE postcards SET recipient_id = NULL; END";
describe("a database that was changed", () => {
	test.each<[statements: string[], told: string]>([
		[[spy], 'trigger "spy" is foreign'],
		[["CREATE TABLE more (a)"], 'table "more" is foreign'],
		[["CREATE VIEW guests AS SELECT 1"], 'view "guests" is foreign'],
		[["CREATE VIEW 'two\nlines' AS SELECT 1"], 'view "two\\nlines" is foreign'],
		[["CREATE INDEX quick ON agents (name)"], 'index "quick" is foreign'],
		[["DROP TABLE postcards"], 'table "postcards" is missing'],
		[["DROP INDEX stays_by_agent"], 'index "stays_by_agent" is missing'],
		[
			[
				"DROP INDEX stays_by_agent",
				"CREATE INDEX stays_by_agent ON stays (agent_id)",
			],
			'index "stays_by_agent" is changed',
		],
		[["ALTER TABLE agents ADD extra text"], 'table "agents" is changed'],
		[["PRAGMA user_version = 3"], 'table "blocks" is foreign'],
		[["PRAGMA user_version = -1"], "no version of resort has schema -1"],
	])("%j is found", (statements, told) => {
		makeDatabaseOf(NOW, folder.file());
		change(folder.file(), ...statements);
		const fault = faultOf(folder.file());
		expect(fault).toContain(told);
		expect(fault).not.toContain("\n");
		expect(() => openStore(folder.file())).toThrow(
			/newer version|differs from resort/,
		);
	});

	test("lists three differences and counts the others", () => {
		makeDatabaseOf(NOW, folder.file());
		const views = ["a", "b", "c", "d", "e"];
		change(
			folder.file(),
			...views.map((name) => `CREATE VIEW ${name} AS SELECT 1`),
		);
		expect(faultOf(folder.file())).toBe(
			'view "a" is foreign, view "b" is foreign, view "c" is foreign, and 2 more',
		);
	});
});

test("no connection to a file trusts its schema", async () => {
	const store = openStore(folder.file());
	const reader = openReadOnly(folder.file());
	for (const sqlite of [store.sqlite, reader]) {
		const row = sqlite.query("PRAGMA trusted_schema").get();
		expect(Object.values(Object(row))).toEqual([0]);
	}
	reader.close();
	await store.close();
});
