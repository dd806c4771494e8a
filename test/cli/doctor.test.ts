import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { makeDatabaseOf } from "../core/store/older.ts";
import { run } from "../support/executable.ts";
import { register } from "../support/guests.ts";
import { useFreshFolder } from "../support/program-folder.ts";
import { asUser } from "../support/user.ts";

const SERVE = ["--port", "0"];

const folder = useFreshFolder();

/** Makes a database with one agent, closed, and changes it as a plain SQLite file. */
async function makeDatabase(...statements: string[]): Promise<void> {
	await folder.visit();
	const sqlite = new Database(folder.file());
	for (const statement of statements) sqlite.run(statement);
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite.close();
}

describe("resort doctor", () => {
	test("finds a sound database sound, and changes nothing", async () => {
		await makeDatabase();
		const before = folder.contents()["resort.sqlite"] ?? "";
		const { exitCode, stderr, checks } = await folder.doctor();
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		expect(folder.contents()["resort.sqlite"]).toBe(before);
		expect(checks.database).toBe(`ok ${folder.file()}, 0 MiB, no --max-database`);
		expect(checks["free disk"]).toMatch(/^(ok|warn) \d+ MiB$/);
	});

	test("does not disturb an instance that serves the database", async () => {
		const resort = await folder.serve(SERVE);
		await register(resort.url);
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(0);
		expect(checks.database).toStartWith("ok ");
		await register(resort.url);
		expect((await resort.stop()).exitCode).toBe(0);
	});

	test.each<[statement: string, told: RegExp]>([
		["INSERT INTO api_keys VALUES ('k', 'nobody', x'00', 1)", /^fail .*: broken references: 1; stop/],
		[`PRAGMA user_version = ${migrations.length + 1}`, /^fail .*newer/],
		[
			"CREATE TRIGGER spy AFTER INSERT ON postcards BEGIN SELECT 1; END",
			/^fail .*trigger "spy" is unexpected/,
		],
	])("fails after %s", async (statement, told) => {
		await makeDatabase("PRAGMA foreign_keys = OFF", statement);
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(1);
		expect(checks.database).toMatch(told);
	});

	test("finds damage", async () => {
		await makeDatabase();
		const bytes = await Bun.file(folder.file()).bytes();
		bytes.fill(0xa5, 4096);
		for (const suffix of ["-wal", "-shm"]) {
			rmSync(folder.file() + suffix, { force: true });
		}
		writeFileSync(folder.file(), bytes);
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(1);
		expect(checks.database).toMatch(/^fail .*; stop the resort, then resort restore BACKUP/);
	});

	const makeLink = () => symlinkSync(join("unmounted", "there"), folder.file());
	const makeLetter = () => folder.write("dear diary ".repeat(100), "resort.sqlite");
	const makeOlder = () => makeDatabaseOf(migrations.length - 1, folder.file());

	test.each<[what: string, make: () => unknown, name: string, told: RegExp]>([
		["no database", () => {}, "database", /^warn /],
		["a letter", makeLetter, "database", /^fail .*not a SQLite/],
		["a folder", () => mkdirSync(folder.file()), "database", /^fail .*EISDIR/],
		["a link to no file", makeLink, "database", /^warn .* is a link/],
		["a schema that is migrated", makeOlder, "database", /^warn .*migrates it/],
	])("reports %s", async (_, make, name, told) => {
		await make();
		const names = folder.names();
		const { exitCode, checks } = await folder.doctor();
		expect(checks[name]).toMatch(told);
		expect(exitCode).toBe(checks[name]?.startsWith("fail") ? 1 : 0);
		expect(checks).not.toHaveProperty("cannot be served");
		expect(folder.names()).toEqual(names);
	});

	test("a link to no file does not start", async () => {
		makeLink();
		expect((await folder.run(SERVE)).exitCode).toBe(1);
	});

	test("says that a database was moved without its log", async () => {
		await folder.visit("SIGKILL");
		renameSync(folder.file(), folder.file("moved"));
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(1);
		expect(checks.database).toMatch(/^fail .* is missing, but .*resort\.sqlite-wal contains its last writes/);
		writeFileSync(folder.file("resort.sqlite-wal"), "");
		const empty = await folder.doctor();
		expect(empty.exitCode).toBe(0);
		expect(empty.checks.database).toMatch(/^warn .*serve creates it/);
	});

	test.each(["-wal", "-shm"])("warns of a %s that its user may not write, as serve does", async (suffix) => {
		await makeDatabase();
		const beside = folder.file() + suffix;
		// SQLite makes an empty one writable by itself.
		writeFileSync(beside, new Uint8Array(32_768));
		chmodSync(beside, 0o444);
		const names = Object.keys(folder.contents());
		const paths = names.map((name) => join(folder.path, name));
		const before = asUser(folder.path, ...paths);
		const place = { cwd: folder.path, before };
		const told = `${suffix} cannot be written by this user: permission denied`;
		const checked = await run(["doctor"], place);
		const [warning = ""] = checked.stdout.match(/^warn +cannot be served.*$/m) ?? [];
		expect(warning).toContain(told);
		const started = await run(SERVE, place);
		expect(started.stderr).toContain(told);
		expect(started.exitCode).toBe(1);
	});

	test("compares the database with --max-database", async () => {
		await folder.visit();
		const size = async (max: string) => (await folder.doctor(["--max-database", max])).checks.database;
		expect(await size("1GiB")).toMatch(/^ok .*, \d MiB of 1024 MiB$/);
		expect(await size("1KB")).toMatch(/^warn .*: the resort is full/);
	});
});
