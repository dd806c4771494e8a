import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { migrate, migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { insertFormerNames, migratedNames } from "../../support/invisible-texts.ts";
import { permissionsOf } from "../../support/user.ts";
import { agentIds, insertAgent } from "./rows.ts";

const folder = useFreshFolder();

const NOW = migrations.length;

/** Creates a database of the current version with agent `a` and its stay, and connects to it. */
async function existing(): Promise<Database> {
	const store = openStore(folder.file());
	insertAgent(store, "a");
	store.sqlite.run(
		"INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at) VALUES ('s', 'a', 'Tidepool Cabana', 1, 1)",
	);
	await store.close();
	const sqlite = new Database(folder.file());
	sqlite.run("PRAGMA foreign_keys = ON");
	return sqlite;
}

function value(sqlite: Database, query: string): unknown {
	return sqlite.query<unknown[], []>(query).values()[0]?.[0];
}

const spa = ["CREATE TABLE spa (a)", "INSERT INTO spa VALUES (1)"];
const use = ["INSERT INTO spa SELECT count(*) + 1 FROM spa"];
const broken = ["CREATE TABLE half (a)", "INSERT INTO nowhere VALUES (1)"];

describe("migrate", () => {
	test("replaces names of agents and experiences that consist of invisible characters", () => {
		using sqlite = new Database(":memory:");
		migrate(sqlite, null, migrations.slice(0, 9));
		for (const statement of insertFormerNames) sqlite.run(statement);
		migrate(sqlite, null);
		for (const table of ["agents", "experiences"]) {
			const names = sqlite.query(`SELECT name FROM ${table} ORDER BY seq`);
			expect(names.values().flat()).toEqual([...migratedNames]);
		}
	});

	test("first copies the database, keeps earlier copies, and deletes incomplete ones", async () => {
		using sqlite = await existing();
		// This change is only in the write-ahead log.
		sqlite.run("UPDATE agents SET name = 'Grace'");
		const [first = "", second = "", third = ""] = ["", "-2", "-3"].map((at) =>
			folder.file(`resort.sqlite.v${NOW}${at}.bak`),
		);
		writeFileSync(first, "an older copy");
		writeFileSync(second, "another");
		writeFileSync(`${first}.tmp`, "half a copy");
		chmodSync(folder.file(), 0o600);
		const done = migrate(sqlite, folder.file(), [...migrations, spa]);
		expect(done).toEqual({ from: NOW, to: NOW + 1, copy: third });
		expect(readFileSync(first, "utf8")).toBe("an older copy");
		expect(readFileSync(second, "utf8")).toBe("another");
		expect(existsSync(`${first}.tmp`)).toBe(false);
		expect(permissionsOf(third)).toBe(0o600);
		const copy = openStore(third);
		expect(agentIds(copy)).toEqual(["a"]);
		expect(value(copy.sqlite, "SELECT name FROM agents")).toBe("Grace");
		await copy.close();
	});

	test("fails and changes nothing if it cannot copy the database", async () => {
		using sqlite = await existing();
		const blocked = folder.file("full/resort.sqlite");
		expect(() => migrate(sqlite, blocked, [...migrations, spa])).toThrow(
			/must be copied before its migration; cannot write .*full/,
		);
		expect(value(sqlite, "PRAGMA user_version")).toBe(NOW);
	});
});

describe("a migration step that fails", () => {
	test("is rolled back with the previous steps, and the schema version does not change", async () => {
		using sqlite = await existing();
		const steps = [...migrations, spa, broken, use];
		expect(() => migrate(sqlite, folder.file(), steps)).toThrow("nowhere");
		expect(value(sqlite, "PRAGMA user_version")).toBe(NOW);
		const tables = "SELECT count(*) FROM sqlite_schema WHERE name IN";
		expect(value(sqlite, `${tables} ('spa', 'half')`)).toBe(0);
		expect(value(sqlite, "SELECT count(*) FROM stays")).toBe(1);
		expect(sqlite.inTransaction).toBe(false);
		// A program with corrected steps can migrate the database.
		migrate(sqlite, folder.file(), [...migrations, spa, use]);
		expect(value(sqlite, "PRAGMA user_version")).toBe(NOW + 2);
		expect(value(sqlite, "SELECT count(*) FROM spa")).toBe(2);
		expect(value(sqlite, "PRAGMA foreign_keys")).toBe(1);
	});

	test("is rolled back if it leaves broken references", async () => {
		using sqlite = await existing();
		const steps = [...migrations, ["DELETE FROM agents"]];
		expect(() => migrate(sqlite, folder.file(), steps)).toThrow("orphan");
		expect(value(sqlite, "PRAGMA user_version")).toBe(NOW);
		expect(value(sqlite, "SELECT count(*) FROM agents")).toBe(1);
	});
});

test("a migration step may recreate a table to which other tables refer", async () => {
	using sqlite = await existing();
	const rebuild = [
		"CREATE TABLE new_agents AS SELECT * FROM agents",
		"DROP TABLE agents",
		"ALTER TABLE new_agents RENAME TO agents",
		"CREATE UNIQUE INDEX agents_id ON agents (id)",
	];
	migrate(sqlite, folder.file(), [...migrations, rebuild]);
	expect(value(sqlite, "SELECT id FROM agents")).toBe("a");
	expect(value(sqlite, "SELECT count(*) FROM stays")).toBe(1);
});
