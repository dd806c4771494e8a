import { test } from "bun:test";
import { SQL } from "bun";
import { migrate, type RunScript } from "../../../src/features/postgres/postgres-migrations.ts";
import { testServer } from "../../support/engine.ts";
import { createDatabase, dropDatabase } from "./support/databases.ts";

/** One connection or several. */
export interface Connection extends AsyncDisposable {
	readonly sql: SQL;
	readonly query: RunScript;
}

/** A database for one test. */
export interface TestDatabase extends AsyncDisposable {
	readonly url: string;
	connect(max?: number): Connection;
}

/** Creates a database: empty, or with the newest schema. */
export async function openDatabase({ isEmpty = false, encoding = "UTF8" } = {}): Promise<TestDatabase> {
	const url = await createDatabase(testServer ?? "", { encoding });
	const connect = (max = 1) => connectTo(url, max);
	if (!isEmpty) {
		await using connection = connect();
		await migrate(connection.query);
	}
	return { url, connect, [Symbol.asyncDispose]: () => dropDatabase(url) };
}

/** Connects to a database. */
export function connectTo(url: string, max: number): Connection {
	const sql = new SQL({ url, adapter: "postgres", max, bigint: true });
	return { sql, query: (text) => sql.unsafe(text, []), [Symbol.asyncDispose]: () => sql.close() };
}

/** Defines a test with its own database and two connections to it. */
export function testOnDatabase(
	name: string,
	body: (one: Connection, other: Connection, database: TestDatabase) => Promise<void>,
	options: Parameters<typeof openDatabase>[0] = {},
): void {
	const run = async () => {
		await using database = await openDatabase(options);
		await using one = database.connect();
		await using other = database.connect();
		await body(one, other, database);
	};
	test(name, run, 60_000);
}
