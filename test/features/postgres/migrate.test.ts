import { expect, test } from "bun:test";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import {
	migrate,
	migrations,
	type RunScript,
	readVersion,
} from "../../../src/features/postgres/postgres-migrations.ts";
import { openSession } from "../../../src/features/postgres/postgres-session.ts";
import { insertFormerNames, migratedNames } from "../../support/invisible-texts.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { until } from "../../support/until.ts";
import { type Connection, connectTo, openDatabase, openPostgres } from "./support/shared.ts";

const NOW = migrations.length;
const spa = "create table spa (a integer); insert into spa values (1)";
const use = "insert into spa select count(*) + 1 from spa";
const broken = "create table half (a integer); insert into nowhere values (1)";

async function value({ query }: Connection, text: string): Promise<string> {
	return String(Object.values((await query(text))[0] ?? {})[0]);
}

const versionOf = (connection: Connection) => value(connection, "select n from heads where slot = 0");

/** Requires that a migration fails with exactly this message. */
async function refuse(migration: Promise<unknown>, message: string): Promise<void> {
	await expect(migration).rejects.toMatchObject({ message });
}

describeOnPostgres("migrate", () => {
	test("creates the schema in an empty database, and does nothing when it runs again", async () => {
		await using connection = await openDatabase({ withTables: false });
		expect(await migrate(connection.query)).toEqual({ from: 0, to: NOW });
		expect(await versionOf(connection)).toBe(`${NOW}`);
		const asked: string[] = [];
		const noting: RunScript = (text) => {
			asked.push(text);
			return connection.query(text);
		};
		expect(await migrate(noting)).toBeNull();
		expect(asked.join("\n")).not.toMatch(/begin|lock|insert|create/);
	});

	test("replaces names that consist of invisible characters", async () => {
		await using connection = await openDatabase({ withTables: false });
		await migrate(connection.query, migrations.slice(0, 4));
		for (const statement of insertFormerNames) {
			await connection.query(statement);
		}
		await migrate(connection.query);
		for (const table of ["agents", "experiences"]) {
			const rows = await connection.query(`select name from ${table} order by seq`);
			expect(rows.map(({ name }) => name)).toEqual([...migratedNames]);
		}
	});

	test("waits for transactions of other instances without a deadlock", async () => {
		await using connection = await openDatabase({ withTables: false });
		await migrate(connection.query, migrations.slice(0, 4));
		await using other = connectTo(connection.url);
		// The next step changes the table `agents` first and `webhooks` last. If it locked them in the same order,
		// there would be a deadlock, because the transaction below locks `webhooks` first.
		await other.query("begin; lock table webhooks in row exclusive mode");
		const opening = openPostgres(connection.url);
		const waiting = "select count(*) from pg_locks where locktype = 'relation' and not granted";
		await until(async () => (await value(connection, waiting)) !== "0");
		await other.query("lock table agents in row exclusive mode");
		await other.query("commit");
		await (await opening).close();
		expect(await versionOf(connection)).toBe(`${NOW}`);
	});

	test("runs each step once if 8 instances start at the same time", async () => {
		await using connection = await openDatabase({ withTables: false });
		const steps = [...migrations, spa, use];
		const done = await Promise.all(
			Array.from({ length: 8 }, async () => {
				await using instance = connectTo(connection.url);
				return await migrate(instance.query, steps);
			}),
		);
		// The steps may be distributed over several instances. An instance that ran none returned null.
		const applied = done.flatMap((one) => one ?? []);
		expect(applied.length).toBeGreaterThan(0);
		expect(applied.some(({ from }) => from === 0)).toBe(true);
		expect(await versionOf(connection)).toBe(`${NOW + 2}`);
		expect(await value(connection, "select sum(a) from spa")).toBe("3");
	});

	test("rolls back only the step that fails, and reports the reason", async () => {
		await using connection = await openDatabase();
		await connection.query("insert into nonces values ('n', 1)");
		const steps = [...migrations, spa, broken];
		await refuse(migrate(connection.query, steps), 'relation "nowhere" does not exist');
		expect(await versionOf(connection)).toBe(`${NOW + 1}`);
		expect(await value(connection, "select to_regclass('half')")).toBe("null");
		expect(await value(connection, "select nonce from nonces")).toBe("n");
		await using session = await openSession(readAddress(connection.url, {}));
		const run: RunScript = (text) => session.runScript(text);
		await expect(migrate(run, steps)).rejects.toThrow("42P01");
		const mended = [...migrations, spa, use];
		expect(await migrate(connection.query, mended)).toEqual({ from: NOW + 1, to: NOW + 2 });
	});

	const foreign = "it is neither empty nor a resort's; use a separate database for resort";
	test.each([
		["with a table of another program", "create table theirs (a integer)", foreign],
		["with a view of another program", "create view theirs as select 1 as a", foreign],
		["with a 1-column table `heads`", "create table heads (slot integer)", foreign],
		["with a 3-column table `heads`", "create table heads (slot integer, n bigint, touches text)", foreign],
		["in which the user has no privileges", "set role pg_monitor", "permission denied for schema public"],
	])("creates nothing in a database %s", async (_, text, told) => {
		await using connection = await openDatabase({ withTables: false });
		await connection.query(text);
		await refuse(migrate(connection.query), told);
		expect(await value(connection, "select to_regclass('agents')")).toBe("null");
	});

	test("ignores the tables of other schemas and the views of extensions", async () => {
		await using connection = await openDatabase({ withTables: false });
		await connection.query("create schema theirs; create table theirs.a (a integer)");
		// Makes this view belong to an extension, like the view `pg_stat_statements`.
		await connection.query(`create view seen as select 1 as a;
			insert into pg_depend select 'pg_class'::regclass, 'seen'::regclass, 0, 'pg_extension'::regclass, oid, 0, 'e'
			from pg_extension where extname = 'plpgsql'`);
		expect(await migrate(connection.query)).toEqual({ from: 0, to: NOW });
	});

	test("reads the version of the server first, and refuses versions before 15", async () => {
		const asked: string[] = [];
		const serverOf = (number: string): RunScript => {
			return async (text) => {
				asked.push(text);
				return [{ number, version: "14.99", encoding: "UTF8" }];
			};
		};
		await refuse(migrate(serverOf("149999")), "the server is PostgreSQL 14.99; resort needs 15 or later");
		expect(asked.length).toBe(1);
		expect(await readVersion(serverOf("150000"))).toBe(0);
	});

	test("refuses a database whose encoding is not UTF8", async () => {
		await using connection = await openDatabase({ withTables: false, encoding: "SQL_ASCII" });
		await refuse(
			migrate(connection.query),
			"its encoding is SQL_ASCII; resort needs UTF8 (create database NAME encoding 'UTF8' template template0)",
		);
	});
});
