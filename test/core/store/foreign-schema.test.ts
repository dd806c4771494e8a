import { describe, expect, test } from "bun:test";
import { openReadOnly } from "../../../src/core/store/sqlite/open-database.ts";
import { schemaFault } from "../../../src/core/store/sqlite/schema-check.ts";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { change, makeDatabaseOf } from "./older.ts";
import { insertAgent } from "./rows.ts";

const folder = useFreshFolder();
const NOW = migrations.length;

function faultOf(file: string): string | null {
	using sqlite = openReadOnly(file);
	return schemaFault(sqlite);
}

test("openStore accepts a database with rows after ANALYZE, and a copy of that database", async () => {
	const store = openStore(folder.file());
	insertAgent(store, "a");
	store.sqlite.run("INSERT INTO events (type, at, agent_id) VALUES ('x',1,'a')");
	await store.close();
	change(folder.file(), "ANALYZE", `VACUUM INTO '${folder.file("copy")}'`);
	await openStore(folder.file()).close();
	await openStore(folder.file("copy")).close();
});

const spy =
	"CREATE TRIGGER spy AFTER INSERT ON postcards BEGIN UPDATE postcards SET recipient_id = NULL; END";
describe("openStore refuses a database", () => {
	test.each<[statements: string[], told: string]>([
		[[spy], 'trigger "spy" is unexpected'],
		[["CREATE TABLE more (a)"], 'table "more" is unexpected'],
		[["CREATE VIEW guests AS SELECT 1"], 'view "guests" is unexpected'],
		[["CREATE VIEW 'two\nlines' AS SELECT 1"], 'view "two\\nlines" is unexpected'],
		[["CREATE INDEX quick ON agents (name)"], 'index "quick" is unexpected'],
		[["DROP TABLE postcards"], 'table "postcards" is missing'],
		[["DROP INDEX stays_by_agent"], 'index "stays_by_agent" is missing'],
		[
			["DROP INDEX stays_by_agent", "CREATE INDEX stays_by_agent ON stays (agent_id)"],
			'index "stays_by_agent" has changed',
		],
		[["ALTER TABLE agents ADD extra text"], 'table "agents" has changed'],
		[["PRAGMA user_version = 3"], '" is unexpected, table "'],
		[["PRAGMA user_version = -1"], "no version of resort has schema -1"],
	])("after the statements %j", (statements, told) => {
		makeDatabaseOf(NOW, folder.file());
		change(folder.file(), ...statements);
		const fault = faultOf(folder.file());
		expect(fault).toContain(told);
		expect(fault).not.toContain("\n");
		expect(() => openStore(folder.file())).toThrow(/newer version|differs from resort/);
	});

	test.each([
		[3, []],
		[4, ["and 1 more"]],
		[5, ["and 2 more"]],
	])("and lists three of %d differences, and the number of those that are not listed", (count, more) => {
		makeDatabaseOf(NOW, folder.file());
		const names = ["a", "b", "c", "d", "e"].slice(0, count);
		change(folder.file(), ...names.map((name) => `CREATE VIEW ${name} AS SELECT 1`));
		expect(faultOf(folder.file())?.split(", ")).toEqual([
			...Array(3).fill(expect.stringMatching(/^view "[abc]" is /)),
			...more,
		]);
	});
});

test("openReadOnly disables trusted_schema", async () => {
	await openStore(folder.file()).close();
	using reader = openReadOnly(folder.file());
	expect(reader.query("PRAGMA trusted_schema").values()).toEqual([[0]]);
});
