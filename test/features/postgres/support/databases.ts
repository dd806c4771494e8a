import { SQL } from "bun";
import { until } from "../../../support/until.ts";

/** Creates an empty database in UTF8 or another encoding, or a copy of one without clients. */
export async function createDatabase(
	url: string,
	{
		name = `resort_${crypto.randomUUID().replaceAll("-", "")}`,
		template,
		encoding = "UTF8",
	}: { readonly name?: string; readonly template?: string; readonly encoding?: string } = {},
): Promise<string> {
	const source =
		template === undefined
			? `template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`
			: quoted(nameIn(template));
	// Copying the files of a small database takes less time than logging its pages.
	await administer(url, `create database ${quoted(name)} template ${source} strategy file_copy`);
	return addressOf(url, name);
}

/** Drops a database, even if clients are connected to it. Does nothing if it does not exist. */
export async function dropDatabase(url: string): Promise<void> {
	const name = quoted(nameIn(url));
	await administer(url, `drop database if exists ${name} with (force)`);
}

/** Lets a database accept or refuse connections. Refusing also closes the open connections. */
export async function setReachable(url: string, isReachable: boolean): Promise<void> {
	const name = nameIn(url);
	await administer(url, `alter database ${quoted(name)} allow_connections ${isReachable}`);
	if (isReachable) return;
	await administer(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

/** Runs statements in a database. */
export async function change(url: string, ...statements: string[]): Promise<void> {
	await using sql = new SQL(url, { max: 1 });
	for (const statement of statements) await sql.unsafe(statement);
}

/**
 * Waits until exactly `count` connections to a database wait for a lock.
 * @param query runs a query in this database, and returns the rows
 */
export async function waitForLocks(
	query: (text: string) => Promise<readonly unknown[]>,
	count: number,
): Promise<void> {
	const waiting =
		"select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
	await until(async () => (await query(waiting)).length === count);
}

/** Runs a statement in the database `postgres`, which tests neither create nor drop nor copy. */
function administer(url: string, statement: string): Promise<void> {
	return change(addressOf(url, "postgres"), statement);
}

function addressOf(url: string, name: string): string {
	const address = new URL(url);
	address.pathname = `/${encodeURIComponent(name)}`;
	return address.href;
}

function nameIn(url: string): string {
	return decodeURIComponent(new URL(url).pathname.slice(1));
}

function quoted(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}
