import { StartError } from "../../lib/start-error.ts";
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

/**
 * Brings a database to the newest schema, each version in a transaction of its own. When several instances start at
 * once, one of them does it, and the others wait.
 * @param database how it is called in messages, without a password
 * @param steps the migrations to apply
 * @returns what it did; null when the schema was the newest one, or another instance brought it there
 * @throws StartError when the server is too old, when the database is not a resort's or of a newer version, or when
 * the server refuses a step, which leaves the database as it was before that step
 */
export async function migrate(
	query: Query,
	database: string,
	steps: readonly string[] = migrations,
): Promise<Migration | null> {
	await requireServer(query, database);
	let from: number | null = null;
	let version = await versionOf(query, database, steps.length);
	while (version < steps.length) {
		const before = await applyNext(query, database, steps);
		version = Math.min(before + 1, steps.length);
		if (before < version) from ??= before;
	}
	return from === null ? null : { from, to: version };
}

/** Why a database of a newer schema is refused. */
export function newerDatabase(
	database: string,
	version: number,
	known: number = migrations.length,
): StartError {
	return new StartError(
		`database ${database} was written by a newer version of resort (its schema is ${version}, this program knows ${known}); start that version, or restore a copy`,
		1,
	);
}

async function requireServer(query: Query, database: string): Promise<void> {
	const [server] = await query(
		`select current_setting('server_version_num') as number, current_setting('server_version') as version,
			current_setting('server_encoding') as encoding`,
	);
	if (Number(server?.number) < OLDEST_SERVER) {
		throw new StartError(
			`database ${database} is on PostgreSQL ${server?.version}; resort needs version 15 or a later one`,
			1,
		);
	}
	if (server?.encoding !== "UTF8") {
		throw new StartError(
			`database ${database} has the encoding ${server?.encoding}; resort needs UTF8`,
			1,
		);
	}
}

/**
 * The schema version of a database; 0 when it is empty. Tables of other schemas and of extensions do not count.
 * @throws StartError when it is not a resort's, or of a newer version
 */
async function versionOf(
	query: Query,
	database: string,
	known: number,
): Promise<number> {
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
		throw new StartError(
			`database ${database} is not empty and not a resort's; give resort a database of its own`,
			1,
		);
	}
	const version = Number(head.n);
	if (version > known) throw newerDatabase(database, version, known);
	return version;
}

/**
 * Applies the next step, if no other instance has applied all of them meanwhile.
 * @returns the version before it
 */
async function applyNext(
	query: Query,
	database: string,
	steps: readonly string[],
): Promise<number> {
	await query("begin");
	try {
		// "reso"; the lock ends with the transaction.
		await query("select pg_advisory_xact_lock(x'7265736f'::integer, 0)");
		const version = await versionOf(query, database, steps.length);
		const step = steps[version];
		if (step !== undefined) {
			await query(step);
			await query(
				`insert into heads (slot, n, touches) values (0, ${version + 1}, '') on conflict (slot) do update set n = excluded.n`,
			);
		}
		await query("commit");
		return version;
	} catch (error) {
		// A connection that is lost has undone it already.
		await query("rollback").catch(() => {});
		throw refusalOf(error, database);
	}
}

/** An error of the server in one line; any other error as it is. */
function refusalOf(error: unknown, database: string): unknown {
	if (!(error instanceof Error) || error instanceof StartError) return error;
	if (!("errno" in error) || !/^[0-9A-Z]{5}$/.test(`${error.errno}`)) {
		return error;
	}
	return new StartError(
		`database ${database} cannot be brought to the newest schema: ${error.message.replaceAll(/\s+/g, " ")} (${error.errno})`,
		1,
	);
}
