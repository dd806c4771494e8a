import type { Connection } from "./connection.ts";
import { Unusable } from "./failures.ts";
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
 * The version of a database's schema, also while another program changes it.
 * @returns 0 when the database is empty
 * @throws Unusable when the server is too old, a newer program wrote the database, or it is not a resort's;
 * PostgresFailure
 */
export async function versionOf(connection: Connection): Promise<number> {
	await requireServer(connection);
	const [found] = await connection.query(
		"select to_regclass('heads')::text as heads, (select count(*) from pg_tables where schemaname = current_schema()) as tables",
		[],
	);
	if (found?.heads == null) {
		if (found?.tables === 0) return 0;
		throw new Unusable(
			"it has tables, but none of a resort; give it an empty one",
		);
	}
	const [head] = await connection.query(
		"select n from heads where slot = 0",
		[],
	);
	const version = (head?.n as number | undefined) ?? 0;
	if (version <= schemaVersion) return version;
	throw new Unusable(
		`a newer version of resort wrote it (its schema is ${version}, this program knows ${schemaVersion}); start that version`,
	);
}

/**
 * Brings a database to the newest schema, each version in a transaction of its own. Of several instances that start
 * at once, one does it.
 * @param connection without time limits
 * @returns null when the schema was the newest one, or the database was empty
 * @throws as {@link versionOf}
 */
export async function migrate(
	connection: Connection,
): Promise<Migration | null> {
	await connection.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
	const from = await versionOf(connection);
	for (const [at, text] of migrations.entries()) {
		if (at < from) continue;
		const version = at + 1;
		await connection.script(
			`begin; ${text}; insert into heads (slot, n, touches) values (0, ${version}, '') on conflict (slot) do update set n = ${version}; commit`,
		);
	}
	return from === 0 || from === schemaVersion
		? null
		: { from, to: schemaVersion };
}

async function requireServer(connection: Connection): Promise<void> {
	const [row] = await connection.query(
		"select current_setting('server_version_num')::int as version, current_setting('server_version') as name, current_setting('server_encoding') as encoding",
		[],
	);
	if ((row?.version as number) < OLDEST_SERVER) {
		throw new Unusable(
			`the server is PostgreSQL ${row?.name}; resort needs 15 or later`,
		);
	}
	if (row?.encoding !== "UTF8") {
		throw new Unusable(
			`its encoding is ${row?.encoding}; resort needs UTF8 (create database NAME encoding 'UTF8' template template0)`,
		);
	}
}
