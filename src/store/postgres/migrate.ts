import { StartError } from "../../lib/start-error.ts";
import type { Connection } from "./connection.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

const migrations: readonly string[] = readMigrations();

/** The version of the schema that this program knows. */
export const schemaVersion = migrations.length;

/** The oldest version of the server that is supported, as its `server_version_num`. */
const OLDEST_SERVER = 150_000;

/** The advisory lock under which a database is migrated. */
const MIGRATION_LOCK = 7_351_205;

/** A database that was brought to a newer schema. */
export interface Migration {
	readonly from: number;
	readonly to: number;
}

/**
 * Brings a database to the newest schema, each version in a transaction of its own. Of several instances that start
 * at once, one does it.
 * @param connection without time limits
 * @returns null when the schema was the newest one, or the database was empty
 * @throws StartError when the server is too old, a newer program wrote the database, or it is not a resort's
 */
export async function migrate(
	connection: Connection,
): Promise<Migration | null> {
	await requireServer(connection);
	await connection.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
	const from = await versionOf(connection);
	if (from > schemaVersion) {
		throw new StartError(
			`the database was written by a newer version of resort (its schema is ${from}, this program knows ${schemaVersion}); start that version`,
			1,
		);
	}
	for (const [at, text] of migrations.entries()) {
		if (at < from) continue;
		await connection.script(`begin; ${stepOf(text, at + 1)}; commit`);
	}
	return from === 0 || from === schemaVersion
		? null
		: { from, to: schemaVersion };
}

/** The statements that make the newest schema in an empty database, to be run inside a transaction. */
export const wholeSchema: string = migrations
	.map((text, at) => stepOf(text, at + 1))
	.join(";\n");

/** Keeps instances from starting, as long as the connection is open; false when one is just starting. */
export async function tryMigrationLock(
	connection: Connection,
): Promise<boolean> {
	const [row] = await connection.query(
		"select pg_try_advisory_lock($1)::int as taken",
		[MIGRATION_LOCK],
	);
	return row?.taken === 1;
}

function stepOf(text: string, version: number): string {
	return `${text}; insert into heads (slot, n, touches) values (0, ${version}, '') on conflict (slot) do update set n = ${version}`;
}

/**
 * The version of a database's schema; 0 when the database is empty.
 * @throws StartError when it has tables of others alone
 */
export async function versionOf(connection: Connection): Promise<number> {
	const [found] = await connection.query(
		"select to_regclass('heads')::text as heads, (select count(*) from pg_tables where schemaname = current_schema()) as tables",
		[],
	);
	if (found?.heads == null) {
		if (found?.tables === 0) return 0;
		throw new StartError(
			"the database has tables, but none of a resort; give it an empty one",
			1,
		);
	}
	const [head] = await connection.query(
		"select n from heads where slot = 0",
		[],
	);
	return (head?.n as number | undefined) ?? 0;
}

/** @throws StartError when the server is too old */
export async function requireServer(connection: Connection): Promise<void> {
	const [row] = await connection.query(
		"select current_setting('server_version_num')::int as version, current_setting('server_version') as name",
		[],
	);
	if ((row?.version as number) >= OLDEST_SERVER) return;
	throw new StartError(
		`the server is PostgreSQL ${row?.name}; resort needs 15 or later`,
		1,
	);
}
