import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { makeDatabaseOf } from "../store/older.ts";
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
		expect(checks.database).toBe(`ok ${folder.file()}`);
		expect(checks.integrity).toBe("ok no damage");
		expect(checks["foreign keys"]).toStartWith("ok ");
		expect(checks["schema version"]).toBe(`ok ${migrations.length}`);
		expect(checks["newest entry"]).toMatch(/^ok \d{4}-.*Z$/);
		expect(checks["free disk"]).toMatch(/^(ok|warn) \d+ MiB$/);
		expect(checks).toHaveProperty("file system");
		expect(checks.served).toBe("ok by no process");
		expect(checks.clock).toMatch(/^ok \d{4}-/);
	});

	test("names the webhooks that are not taken by their hosts alone", async () => {
		await makeDatabase();
		expect((await folder.doctor()).checks.webhooks).toBe("ok none failing");
		const sqlite = new Database(folder.file());
		sqlite.run(
			`WITH hooks (hook, state, failing_since) AS (VALUES ('one', 'active', 1), ('two', 'active', 1),
				('three', 'disabled', 1), ('four', 'active', NULL), ('five', 'ended', 1))
			INSERT INTO webhooks (id, agent_id, url, secret, state, created_at, failing_since, position)
				SELECT hook, id, 'https://' || hook || '.test/a?key=secret', 'whsec_', state, 0, failing_since, 0
				FROM hooks, agents`,
		);
		sqlite.close();
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(0);
		expect(checks.webhooks).toBe(
			"warn 3 fail: one.test, two.test, three.test (disabled): each agent can see the reason with GET /api/webhooks",
		);
	});

	test("reports that a process serves the database, and does not disturb it", async () => {
		const resort = await folder.serve(SERVE);
		await register(resort.url);
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(0);
		expect(checks.served).toBe("ok by another process");
		expect(checks["newest entry"]).toMatch(/^ok \d/);
		await register(resort.url);
		expect((await resort.stop()).exitCode).toBe(0);
	});

	const sick: [statement: string, name: string, told: RegExp][] = [
		["INSERT INTO api_keys VALUES ('k', 'nobody', x'00', 1)", "foreign keys", /^fail .*: 1$/],
		[`PRAGMA user_version = ${migrations.length + 1}`, "schema version", /^fail .*newer/],
		[`UPDATE agents SET last_active = ${Date.now() + 10 * 60_000}`, "newest entry", /^fail .*clock is wrong/],
		[
			"CREATE TRIGGER spy AFTER INSERT ON postcards BEGIN SELECT 1; END",
			"schema",
			/^fail .*trigger "spy" is unexpected/,
		],
	];
	test.each(sick)("after %s it fails", async (statement, name, told) => {
		await makeDatabase("PRAGMA foreign_keys = OFF", statement);
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(1);
		expect(checks[name]).toMatch(told);
		const failed = Object.entries(checks).filter(([, said]) => said.startsWith("fail"));
		expect(failed.map(([failedName]) => failedName)).toEqual([name]);
	});

	test("takes an entry a little ahead for none of the clock's faults", async () => {
		const soon = Date.now() + 4 * 60_000;
		await makeDatabase(`UPDATE agents SET last_active = ${soon}`);
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(0);
		expect(checks["newest entry"]).toBe(`ok ${new Date(soon).toISOString()}`);
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
		expect(checks.integrity).toStartWith("fail ");
	});

	const makeLink = () => symlinkSync(join("unmounted", "there"), folder.file());
	const makeLetter = () => folder.write("dear diary ".repeat(100), "resort.sqlite");
	const makeOlder = () => makeDatabaseOf(migrations.length - 1, folder.file());

	test.each<[what: string, make: () => unknown, name: string, told: RegExp]>([
		["no database", () => {}, "database", /^warn /],
		["a letter", makeLetter, "database", /^fail .*not a SQLite/],
		["a folder", () => mkdirSync(folder.file()), "database", /^fail .*EISDIR/],
		["a link to no file", makeLink, "database", /^warn .* is a link/],
		["a schema that is migrated", makeOlder, "schema version", /^warn /],
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

	test("says that a database was moved while it was served", async () => {
		const resort = await folder.serve(SERVE);
		await register(resort.url);
		renameSync(folder.file(), folder.file("moved"));
		const { exitCode, checks } = await folder.doctor();
		expect(exitCode).toBe(1);
		expect(checks.database).toMatch(/^fail .* is missing, but a process serves it: it was moved/);
		renameSync(folder.file("moved"), folder.file());
		expect((await folder.doctor()).exitCode).toBe(0);
		expect((await resort.stop()).exitCode).toBe(0);
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
		const size = async (max: string) =>
			(await folder.doctor(["--max-database", max])).checks["database size"];
		expect(await size("0")).toMatch(/^ok \d MiB, no --max-database$/);
		expect(await size("1GiB")).toMatch(/^ok \d MiB of 1024 MiB$/);
		expect(await size("1KB")).toMatch(/^warn .*: the resort is full/);
	});
});
