import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { APPLICATION_ID } from "../../../src/core/store/sqlite/database-file.ts";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { thrownBy } from "../../support/values.ts";
import { change, makeDatabaseOf } from "./older.ts";

const folder = useFreshFolder();

function refuse(file: string): StartError {
	const error = thrownBy(() => openStore(file));
	if (error instanceof StartError) return error;
	throw error;
}

describe("openStore refuses", () => {
	test.each<[name: string, make: (file: string) => void, message: RegExp]>([
		["a text file", (file) => writeFileSync(file, "dear diary\n".repeat(100)), /not a SQLite database/],
		[
			"a database with a truncated header",
			(file) => {
				makeDatabaseOf(migrations.length, file);
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
				makeDatabaseOf(migrations.length, file);
				change(file, `PRAGMA user_version = ${migrations.length + 1}`);
			},
			/newer version/,
		],
	])("%s, and changes neither the file nor the folder", (_name, make, message) => {
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

	test("to create a database if its lock file cannot be opened", () => {
		mkdirSync(folder.file("resort.sqlite-lock"));
		expect(refuse(folder.file()).message).toMatch(/lock .* cannot be opened/);
		expect(readdirSync(folder.path)).toEqual(["resort.sqlite-lock"]);
	});

	test("a folder in place of a file", () => {
		mkdirSync(folder.file());
		expect(refuse(folder.file()).message).toMatch(/cannot be read/);
	});

	test("a file that ends after a resort's header, and does not change the file", () => {
		makeDatabaseOf(migrations.length, folder.file());
		truncateSync(folder.file(), 100);
		const before = readFileSync(folder.file());
		expect(refuse(folder.file()).message).toMatch(/cannot be opened/);
		expect(readFileSync(folder.file())).toEqual(before);
	});
});
