import { Unusable } from "./failures.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

/** The SQL of each schema version, oldest first: version n is reached by the first n of them. */
export const migrations: readonly string[] = readMigrations();

/** The oldest version of PostgreSQL that a resort runs on, as `server_version_num` tells it. */
const OLDEST_SERVER = 150_000;

/**
 * Runs a text by the simple query protocol, always on the same connection, which nobody else uses meanwhile.
 * @returns the rows of the only statement in it
 * @throws what the driver reports; of an error of the server, `errno` is its SQLSTATE
 */
export type Query = (
	text: string,
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** A database that was brought to a newer schema, of which version 0 is an empty one. */
export interface Migration {
	readonly from: number;
	readonly to: number;
}

/** The version of the schema that this program knows. */
export const schemaVersion = migrations.length;

/** The statements that make the newest schema in an empty database, to be run inside a transaction. */
export const wholeSchema: string = migrations
	.map((text, at) => stepOf(text, at + 1))
	.join(";\n");

/** "reso": under this advisory lock a database is migrated. */
const LOCK = "x'7265736f'::integer, 0";

/**
 * Keeps other programs from migrating a database, as long as the connection is open.
 * @returns false when one is just doing it
 */
export async function tryMigrationLock(query: Query): Promise<boolean> {
	const [row] = await query(
		`select pg_try_advisory_lock(${LOCK})::integer as taken`,
	);
	return row?.taken === 1;
}

/**
 * Brings a database to the newest schema, each version in a transaction of its own. When several instances start at
 * once, one of them does it, and the others wait.
 * @param steps the migrations to apply
 * @returns what it did; null when the schema was the newest one, or another instance brought it there
 * @throws as {@link versionOf}; what the server reports when it refuses a step, which leaves the database as it was
 * before that step
 */
export async function migrate(
	query: Query,
	steps: readonly string[] = migrations,
): Promise<Migration | null> {
	let from: number | null = null;
	let version = await versionOf(query, steps.length);
	while (version < steps.length) {
		const before = await applyNext(query, steps);
		version = Math.min(before + 1, steps.length);
		if (before < version) from ??= before;
	}
	return from === null ? null : { from, to: version };
}

/**
 * The version of a database's schema, also while another program changes it. Tables of other schemas and of
 * extensions do not count.
 * @param known the newest version that may be there
 * @returns 0 when the database is empty
 * @throws Unusable when the server is too old, or the database not a resort's, of a newer version or another encoding
 */
export async function versionOf(
	query: Query,
	known: number = migrations.length,
): Promise<number> {
	await requireServer(query);
	const [found] = await query(
		`select
			(select count(*) from pg_attribute
				where attrelid = to_regclass('heads') and attname in ('slot', 'n', 'touches')) = 3 as "isOwn",
			exists (select from pg_class as one
				where relnamespace = (select oid from pg_namespace where nspname = current_schema())
					and relkind in ('r', 'p', 'v', 'm', 'f')
					and not exists (select from pg_depend
						where classid = 'pg_class'::regclass and objid = one.oid and deptype = 'e')) as "isUsed"`,
	);
	if (!found?.isOwn && !found?.isUsed) return 0;
	const [head] = found.isOwn
		? await query("select n from heads where slot = 0")
		: [];
	if (head === undefined) {
		throw new Unusable(
			"it is not empty and not a resort's; give resort a database of its own",
		);
	}
	const version = Number(head.n);
	if (version <= known) return version;
	throw new Unusable(
		`a newer version of resort wrote it (its schema is ${version}, this program knows ${known}); start that version`,
	);
}

/** @throws Unusable when the server is too old, or the database has another encoding than UTF8 */
async function requireServer(query: Query): Promise<void> {
	const [server] = await query(
		`select current_setting('server_version_num') as number, current_setting('server_version') as version,
			current_setting('server_encoding') as encoding`,
	);
	if (Number(server?.number) < OLDEST_SERVER) {
		throw new Unusable(
			`the server is PostgreSQL ${server?.version}; resort needs 15 or later`,
		);
	}
	if (server?.encoding !== "UTF8") {
		throw new Unusable(
			`its encoding is ${server?.encoding}; resort needs UTF8 (create database NAME encoding 'UTF8' template template0)`,
		);
	}
}

/**
 * Applies the next step, if no other instance has applied all of them meanwhile.
 * @returns the version before it
 */
async function applyNext(
	query: Query,
	steps: readonly string[],
): Promise<number> {
	await query("begin");
	try {
		// It ends with the transaction.
		await query(`select pg_advisory_xact_lock(${LOCK})`);
		const version = await versionOf(query, steps.length);
		const step = steps[version];
		if (step !== undefined) await query(stepOf(step, version + 1));
		await query("commit");
		return version;
	} catch (error) {
		// A connection that is lost has undone it already.
		await query("rollback").catch(() => {});
		throw error;
	}
}

function stepOf(text: string, version: number): string {
	return `${text};\ninsert into heads (slot, n, touches) values (0, ${version}, '') on conflict (slot) do update set n = excluded.n`;
}
