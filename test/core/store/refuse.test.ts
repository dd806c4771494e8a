import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { APPLICATION_ID } from "../../../src/core/store/sqlite/database-file.ts";
import { openReadOnly } from "../../../src/core/store/sqlite/open-database.ts";
import { schemaFault } from "../../../src/core/store/sqlite/schema-check.ts";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { thrownBy } from "../../support/values.ts";
import { change, makeDatabaseOf } from "./older.ts";
import { insertAgent } from "./rows.ts";

const folder = useFreshFolder();
const NOW = migrations.length;

function refuse(file: string): StartError {
	const error = thrownBy(() => openStore(file));
	if (error instanceof StartError) return error;
	throw error;
}

describe("openStore", () => {
	test("refuses to administer an empty file, and changes neither the file nor the folder", () => {
		const file = folder.write("", "resort.sqlite");
		const before = folder.contents();
		const told = { message: `database ${file} is empty; start resort serve with it first` };
		expect(thrownBy(() => openStore(file, "administer"))).toMatchObject(told);
		expect(folder.contents()).toEqual(before);
	});

	test.each<[name: string, make: (file: string) => void, message: RegExp]>([
		["a text file", (file) => writeFileSync(file, "dear diary\n".repeat(100)), /not a SQLite database/],
		[
			"a database with a truncated header",
			(file) => {
				makeDatabaseOf(NOW, file);
				truncateSync(file, 99);
			},
			/not a SQLite database/,
		],
		[
			"a file with only the first bytes of a SQLite header",
			(file) => writeFileSync(file, "SQLite format 3\0"),
			/not a SQLite database/,
		],
		["another program's database", (file) => change(file, "CREATE TABLE a (b)"), /not a resort's database/],
		[
			"a database with another program's application id",
			(file) => change(file, `PRAGMA application_id = ${APPLICATION_ID + 1}`, "CREATE TABLE agents (id)"),
			/not a resort's database/,
		],
		[
			"a database with a newer schema",
			(file) => {
				makeDatabaseOf(NOW, file);
				change(file, `PRAGMA user_version = ${NOW + 1}`);
			},
			/newer version/,
		],
	])("refuses %s, and changes neither the file nor the folder", (_name, make, message) => {
		const file = folder.file();
		make(file);
		const before = folder.contents();
		const error = refuse(file);
		expect(error.message).toMatch(message);
		expect(error.message).toContain(file);
		expect(error.message).not.toContain("\n");
		expect(error.exitCode).toBe(1);
		expect(folder.contents()).toEqual(before);
	});

	test("refuses to create a database if its lock file cannot be opened", () => {
		mkdirSync(folder.file("resort.sqlite-lock"));
		expect(refuse(folder.file()).message).toMatch(/lock .* cannot be opened/);
		expect(readdirSync(folder.path)).toEqual(["resort.sqlite-lock"]);
	});

	test("refuses a folder in place of a file", () => {
		mkdirSync(folder.file());
		expect(refuse(folder.file()).message).toMatch(/cannot be read/);
	});

	test("refuses a resort's database that was truncated after the header, and does not change the file", () => {
		makeDatabaseOf(NOW, folder.file());
		truncateSync(folder.file(), 100);
		const before = readFileSync(folder.file());
		expect(refuse(folder.file()).message).toMatch(/cannot be opened/);
		expect(readFileSync(folder.file())).toEqual(before);
	});
});

function faultOf(file: string): string | null {
	using sqlite = openReadOnly(file);
	return schemaFault(sqlite);
}

test("openStore accepts a database on which ANALYZE was run, and its copy by VACUUM INTO", async () => {
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
describe("a database whose schema differs from that of the resort", () => {
	test.each<[what: string, statements: string[], told: string]>([
		["an added trigger", [spy], 'trigger "spy" is unexpected'],
		["an added table", ["CREATE TABLE more (a)"], 'table "more" is unexpected'],
		["an added view", ["CREATE VIEW guests AS SELECT 1"], 'view "guests" is unexpected'],
		["a two-line view name", ["CREATE VIEW 'two\nlines' AS SELECT 1"], 'view "two\\nlines" is unexpected'],
		["an added index", ["CREATE INDEX quick ON agents (name)"], 'index "quick" is unexpected'],
		["a missing table", ["DROP TABLE postcards"], 'table "postcards" is missing'],
		["a missing index", ["DROP INDEX stays_by_agent"], 'index "stays_by_agent" is missing'],
		[
			"an index on fewer columns",
			["DROP INDEX stays_by_agent", "CREATE INDEX stays_by_agent ON stays (agent_id)"],
			'index "stays_by_agent" has changed',
		],
		["an added column", ["ALTER TABLE agents ADD extra text"], 'table "agents" has changed'],
		["the number of an older schema", ["PRAGMA user_version = 3"], '" is unexpected, table "'],
		["a negative schema number", ["PRAGMA user_version = -1"], "no version of resort has schema -1"],
	])("is refused because of %s", (_what, statements, told) => {
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
	])("is refused with at most three of its %d differences and the number of the rest", (count, more) => {
		makeDatabaseOf(NOW, folder.file());
		const names = ["a", "b", "c", "d", "e"].slice(0, count);
		change(folder.file(), ...names.map((name) => `CREATE VIEW ${name} AS SELECT 1`));
		expect(faultOf(folder.file())?.split(", ")).toEqual([
			...Array(3).fill(expect.stringMatching(/^view "[abc]" is /)),
			...more,
		]);
	});
});

test("openReadOnly sets the pragma `trusted_schema` to 0", async () => {
	await openStore(folder.file()).close();
	using reader = openReadOnly(folder.file());
	expect(reader.query("PRAGMA trusted_schema").values()).toEqual([[0]]);
});
