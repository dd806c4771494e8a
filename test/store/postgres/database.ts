import { describe } from "bun:test";
import { SQL } from "bun";
import {
	migrate,
	type RunScript,
} from "../../../src/store/postgres/postgres-migrations.ts";

/** The address of a database on a server that tests may use, as a superuser; undefined without a server. */
const address = process.env.RESORT_TEST_POSTGRES;

/** Tests that need PostgreSQL. */
export const describeOnPostgres = describe.skipIf(address === undefined);

/** A connection, or several. */
export interface Connection extends AsyncDisposable {
	readonly sql: SQL;
	readonly query: RunScript;
}

/** A database of a test's own. */
export interface TestDatabase extends AsyncDisposable {
	readonly url: string;
	/** @param max how many connections at most */
	connect(max?: number): Connection;
}

/** Makes a database: empty, or with the newest schema. */
export async function openDatabase({
	isEmpty = false,
	encoding = "UTF8",
} = {}): Promise<TestDatabase> {
	const name = `resort_${crypto.randomUUID().replaceAll("-", "")}`;
	const administer = async (statement: string) => {
		await using connection = connectTo(`${address}`, 1);
		await connection.query(statement);
	};
	await administer(
		`create database ${name} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
	);
	const own = new URL(`${address}`);
	own.pathname = `/${name}`;
	const connect = (max = 1) => connectTo(own.href, max);
	if (!isEmpty) {
		await using connection = connect();
		await migrate(connection.query);
	}
	return {
		url: own.href,
		connect,
		[Symbol.asyncDispose]: () =>
			administer(`drop database ${name} with (force)`),
	};
}

function connectTo(url: string, max: number): Connection {
	const sql = new SQL({ url, adapter: "postgres", max, bigint: true });
	return {
		sql,
		query: (text) => sql.unsafe(text, []),
		[Symbol.asyncDispose]: () => sql.close(),
	};
}
