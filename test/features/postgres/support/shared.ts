/** Creates databases on the test server, which no test may stop or configure, and connects to them. */
import { SQL } from "bun";
import { once } from "../../../../src/core/lib/once.ts";
import { readAddress } from "../../../../src/features/postgres/credentials.ts";
import type { RunScript } from "../../../../src/features/postgres/postgres-migrations.ts";
import { PostgresStore } from "../../../../src/features/postgres/postgres-store.ts";
import { testServer } from "../../../support/engine.ts";
import { QUICK, startCluster } from "./cluster.ts";
import { createDatabase, dropDatabase } from "./databases.ts";
import { testOnPostgres } from "./test-on-postgres.ts";

/** The minimum number of connections for an instance. */
export const CONNECTIONS = 4;

/** The address of the test server or, if there is none, of a new cluster that ends with this process. */
const server = once(async () => testServer ?? (await startCluster({ settings: QUICK })).url);

/** A migrated database. Copying it is faster than migrating each database. */
const template = once(async () => {
	const url = await newDatabase();
	await (await openPostgres(url)).close();
	return url;
});

/** Creates a database: empty, or with the newest schema. */
export async function newDatabase({ withTables = false, encoding = "UTF8" } = {}): Promise<string> {
	return createDatabase(await server(), withTables ? { template: await template() } : { encoding });
}

/** Returns the port in the address of a database. */
export function portOf(url: string): number {
	return Number(new URL(url).port);
}

/** Opens a database, by default with the minimum number of connections. */
export async function openPostgres(url: string, connections = CONNECTIONS): Promise<PostgresStore> {
	const address = readAddress(url, {});
	return (await PostgresStore.open(address, connections)).store;
}

/** Defines a test with a store on a new database, by default with the minimum number of connections. */
export function testOnStore(
	name: string,
	body: (store: PostgresStore, url: string) => Promise<void>,
	connections?: number,
): void {
	testOnPostgres(name, async () => {
		const url = await newDatabase({ withTables: true });
		const store = await openPostgres(url, connections);
		await body(store, url);
		await store.close();
	});
}

/** One connection to a database, or several. */
export interface Connection extends AsyncDisposable {
	readonly url: string;
	readonly sql: SQL;
	readonly query: RunScript;
}

/** Connects to a database. */
export function connectTo(url: string, max = 1): Connection {
	const sql = new SQL({ url, adapter: "postgres", max, bigint: true });
	return { url, sql, query: (text) => sql.unsafe(text, []), [Symbol.asyncDispose]: () => sql.close() };
}

/** Connects to a new database, by default with the newest schema. Disposal drops the database. */
export async function openDatabase({
	max = 1,
	withTables = true,
	encoding = "UTF8",
} = {}): Promise<Connection> {
	const url = await newDatabase({ withTables, encoding });
	const connection = connectTo(url, max);
	return {
		...connection,
		async [Symbol.asyncDispose]() {
			await connection.sql.close();
			await dropDatabase(url);
		},
	};
}
