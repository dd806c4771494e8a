import { readMigrations } from "../../core/store/read-migrations.ts" with { type: "macro" };
import { PostgresFailure } from "./postgres-failure.ts";

/** The SQL of each schema version, oldest first. */
export const migrations: readonly string[] = readMigrations("migrations-postgres");

/** The oldest supported PostgreSQL version, as `server_version_num`. */
const OLDEST_SERVER = 150_000;

/** Runs a script on a connection that nobody else uses, and returns the rows of the last statement. */
export type RunScript = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The schema versions before and after a migration. 0 means an empty database. */
export interface Migration {
	readonly from: number;
	readonly to: number;
}

/** The schema version of this program. */
export const schemaVersion = migrations.length;

/** The SQL that creates the newest schema in an empty database. It must run in a transaction. */
export const wholeSchema: string = migrations.map((text, at) => stepOf(text, at + 1)).join(";\n");

/** The key of the advisory lock of a migration: "reso" in ASCII, and 0. */
const LOCK = "x'7265736f'::integer, 0";

/**
 * SQL that locks all tables before a migration step changes them: otherwise, the step could deadlock with
 * transactions of the previous version. Gives up after 300 ms, before the server looks for deadlocks
 * (`deadlock_timeout`, 1 s) and before the calls that wait for this transaction time out.
 */
const LOCK_TABLES = `set local lock_timeout = 300;
do $$ begin
	execute (
		select 'lock table ' || string_agg(format('%I', relname), ', ') from pg_class as one
		where relnamespace = current_schema()::regnamespace and relkind = 'r'
			and not exists (select from pg_depend
				where classid = 'pg_class'::regclass and objid = one.oid and deptype = 'e')
	);
end $$;
set local lock_timeout = 0`;

/** The pause after a failed attempt to lock the tables. Other transactions can continue during the pause. */
const PAUSE_MS = 100;

/** Keeps other programs from migrating until the connection is closed. Returns false if one is migrating. */
export async function tryMigrationLock(run: RunScript): Promise<boolean> {
	const [row] = await run(`select pg_try_advisory_lock(${LOCK}) as locked`);
	return row?.locked === true;
}

/**
 * Migrates a database, with one transaction for each version, and waits for tables that are in use. If
 * several instances start at once, one of them migrates.
 * @returns null if this program had nothing to do
 * @throws errors of {@link readVersion}; errors of the server if a step fails and is rolled back
 */
export async function migrate(
	run: RunScript,
	steps: readonly string[] = migrations,
): Promise<Migration | null> {
	let from: number | null = null;
	let version = await readVersion(run, steps.length);
	while (version < steps.length) {
		await run("begin");
		try {
			await run(`select pg_advisory_xact_lock(${LOCK})`);
			// Another instance may have run some steps in the meantime.
			version = await readVersion(run, steps.length);
			const step = steps[version];
			if (step !== undefined) {
				if (version > 0) await run(LOCK_TABLES);
				await run(stepOf(step, version + 1));
				from ??= version;
				version++;
			}
			await run("commit");
		} catch (error) {
			await run("rollback").catch(() => {});
			if (!(error instanceof PostgresFailure && error.isTimeout)) throw error;
			await Bun.sleep(PAUSE_MS);
		}
	}
	return from === null ? null : { from, to: version };
}

/**
 * Reads the schema version; 0 if the database is empty. Ignores tables of extensions and in other schemas.
 * @throws PostgresFailure if the server is too old, the database was not created by a resort, its encoding is
 * not UTF-8, or its schema version is higher than `newest`
 */
export async function readVersion(run: RunScript, newest: number = migrations.length): Promise<number> {
	const [found] = await run(
		`select current_setting('server_version_num') as number, current_setting('server_version') as version,
			current_setting('server_encoding') as encoding,
			(select count(*) from pg_attribute
				where attrelid = to_regclass('heads') and attname in ('slot', 'n', 'touches')) = 3 as "isOwn",
			exists (select from pg_class as one
				where relnamespace = (select oid from pg_namespace where nspname = current_schema())
					and relkind in ('r', 'p', 'v', 'm', 'f')
					and not exists (select from pg_depend
						where classid = 'pg_class'::regclass and objid = one.oid and deptype = 'e')) as "isUsed"`,
	);
	if (Number(found?.number) < OLDEST_SERVER) {
		throw new PostgresFailure(`the server is PostgreSQL ${found?.version}; resort needs 15 or later`);
	}
	if (found?.encoding !== "UTF8") {
		throw new PostgresFailure(
			`its encoding is ${found?.encoding}; resort needs UTF8 (create database NAME encoding 'UTF8' template template0)`,
		);
	}
	if (!found.isOwn && !found.isUsed) return 0;
	const [head] = found.isOwn ? await run("select n from heads where slot = 0") : [];
	if (head === undefined) {
		throw new PostgresFailure("it is neither empty nor a resort's; use a separate database for resort");
	}
	const version = Number(head.n);
	if (version <= newest) return version;
	throw new PostgresFailure(
		`it was written by a newer version of resort (its schema is ${version}, this program uses ${newest}); start that version`,
	);
}

function stepOf(text: string, version: number): string {
	return `${text};\ninsert into heads (slot, n, touches) values (0, ${version}, '') on conflict (slot) do update set n = excluded.n`;
}
