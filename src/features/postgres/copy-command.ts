import type { Database, SQLQueryBindings } from "bun:sqlite";
import { resolve } from "node:path";
import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { printJson } from "../../core/commands/print.ts";
import type { Command } from "../../core/commands/resort-command.ts";
import { stopSignal } from "../../core/commands/signals.ts";
import { givenText, parseGiven } from "../../core/config/setting-sources.ts";
import { coreSettings } from "../../core/config/settings.ts";
import { because, SettingError, StartError } from "../../core/lib/start-error.ts";
import type { Access } from "../../core/store/engine.ts";
import { APPLICATION_ID, existingDatabase, realPath } from "../../core/store/sqlite/database-file.ts";
import { lockFile } from "../../core/store/sqlite/database-lock.ts";
import { contentFault } from "../../core/store/sqlite/examine-file.ts";
import {
	openDatabase,
	openReadOnly,
	readCell,
	schemaVersion as versionOf,
	WRITABLE,
} from "../../core/store/sqlite/open-database.ts";
import { sqlite } from "../../core/store/sqlite/sqlite-engine.ts";
import { migrate, migrations } from "../../core/store/sqlite/sqlite-migrations.ts";
import { requireFree, temporaryName, UnfinishedFile } from "../../core/store/sqlite/unfinished-file.ts";
import type { EngineRow, Value } from "../../core/store/store.ts";
import { sortTables, type Table } from "../../core/store/table-queries.ts";
import { leases } from "../../core/store/tables.ts";
import { readAddress } from "./credentials.ts";
import { withoutPassword } from "./database-url.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { cannotUse, PostgresFailure } from "./postgres-failure.ts";
import { readVersion, schemaVersion, tryMigrationLock, wholeSchema } from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";
import { toPostgres } from "./statements.ts";

/** `--database` with the two engines between which a database can be copied. */
const { database } = coreSettings([sqlite, postgresEngine]);

type LoadTables = () => Promise<readonly Table[]>;

/** Creates `resort copy`. */
export const createCopy = (loadTables: LoadTables): Command => ({
	summary: "Copy a resort from SQLite to PostgreSQL, or back",
	about: `Copies all rows with their ids, keys and sessions. Stop all instances of both databases first. One of FROM and TO is
a database file, the other the URL of a PostgreSQL database, as for --database.

If TO is a file, it must not exist; if it is a PostgreSQL database, it must be empty. The copy is compared with FROM row by row. If anything fails,
FROM and TO stay unchanged.
Prints one line of JSON on stdout: from, copy, and tables with the number of rows and the SHA-256 of each table.
Passwords come from PGPASSWORD or the file named by PGPASSFILE. Rate limits are not copied.`,
	words: "FROM TO",
	flags: {},
	run: ({ words: [from = "", to = ""] }) => copyDatabase(loadTables, from, to),
});

async function copyDatabase(loadTables: LoadTables, from: string, to: string): Promise<void> {
	requireDatabase("FROM", from);
	requireDatabase("TO", to);
	const isFromServer = postgresEngine.isNamedBy(from);
	if (isFromServer === postgresEngine.isNamedBy(to)) {
		throw new SettingError(
			"copy works only between SQLite and PostgreSQL; otherwise use resort backup, or pg_dump and pg_restore",
		);
	}
	const tables = describeTables(await loadTables());
	const signal = stopSignal();
	const openServer = (role: "source" | "target", database: string) =>
		openPostgres(role, tables, { database, environment: process.env, signal });
	await using resources = new AsyncDisposableStack();
	try {
		const source = isFromServer ? await openServer("source", from) : openSource(from);
		resources.defer(() => source.close());
		const target = isFromServer ? openTarget(to) : await openServer("target", to);
		resources.defer(() => target.close());
		printJson({ from: source.path, copy: target.path, tables: await copyAll(tables, source, target) });
	} catch (error) {
		// A StartError is passed on, because it may report that the result of the copy is unknown.
		if (signal.aborted && !(error instanceof StartError)) {
			throw new StartError("stopped: nothing was copied");
		}
		throw because(`cannot copy ${database.show(from)} to ${database.show(to)}`, error);
	}
}

function requireDatabase(name: string, text: string): void {
	parseGiven(database, givenText(database, name, text));
	if (text === ":memory:" || text === "-") {
		throw new SettingError(`${name} ${text} is not a file`);
	}
}

/** The number of rows that are read and written at a time. SQLite allows 32,766 values in a statement. */
const ROWS_AT_ONCE = 1_000;

/** A table that both engines have. */
export interface CopiedTable {
	readonly name: string;
	/** The columns that the engine does not compute. */
	readonly columns: readonly string[];
	/** The columns of the primary key. Rows are read in the order of this key. */
	readonly key: readonly string[];
}

/** A database that is copied. No instance can serve it in the meantime. */
export interface CopySource {
	/** The location of the database, without a password. */
	readonly path: string;
	/** Runs a statement of SQL that both engines understand, with `?` for each parameter. */
	query(text: string, parameters: readonly Value[]): Promise<readonly EngineRow[]>;
	/** Returns the highest event id that was ever assigned; 0 if there was none. */
	lastEventId(): Promise<number>;
	/** Closes the database. A target is discarded unless {@link CopyTarget.keep} was called. */
	close(): Promise<void>;
}

/** A new database with the newest schema. Other programs do not see it before {@link CopyTarget.keep}. */
export interface CopyTarget extends CopySource {
	/** Makes the database permanent, and sets its counters: `lastEventId` for events. */
	keep(lastEventId: number): Promise<void>;
}

/** The number of rows of a table, and the SHA-256 of all rows in the order of their keys, in base64. */
type Summary = Readonly<{ rows: number; sha256: string }>;

const casing = new CasingCache("snake_case");

/** Describes the tables to copy, each after those that it refers to. Leases belong to running instances. */
export function describeTables(tables: readonly Table[]): readonly CopiedTable[] {
	const nameOf = (column: SQLiteColumn) => casing.getColumnCasing(column);
	const copied = sortTables(tables).filter((table) => table !== leases);
	return copied.map((table) => {
		const { name, columns, primaryKeys } = getTableConfig(table);
		const keys = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
		return {
			name,
			columns: columns.filter(({ generated }) => generated === undefined).map(nameOf),
			key: keys.map(nameOf),
		};
	});
}

/**
 * Copies all rows, compares the number and the hash of the rows of each table, and keeps the target.
 * @throws StartError if the databases differ, as when the target cannot represent a value; errors of the
 * engines
 */
async function copyAll(
	tables: readonly CopiedTable[],
	from: CopySource,
	to: CopyTarget,
): Promise<Readonly<Record<string, Summary>>> {
	const copied: Record<string, Summary> = {};
	for (const table of tables) {
		copied[table.name] = await eachRow(table, from, (rows) => insert(table, to, rows));
	}
	for (const table of tables) {
		const copy = await eachRow(table, to);
		if (Bun.deepEquals(copy, copied[table.name])) continue;
		const rows = copied[table.name]?.rows;
		throw new StartError(`table ${table.name} differs from its copy (${rows} and ${copy.rows} rows)`);
	}
	await to.keep(await from.lastEventId());
	return copied;
}

/** Reads a table, passes its rows to `write`, several at a time, and summarizes them. */
async function eachRow(
	table: CopiedTable,
	from: CopySource,
	write: (rows: readonly EngineRow[]) => Promise<unknown> = async () => {},
): Promise<Summary> {
	const hash = new Bun.CryptoHasher("sha256");
	const key = list(table.key);
	const select = `select ${list(table.columns)} from "${table.name}"`;
	const order = `order by ${key} limit ${ROWS_AT_ONCE}`;
	const next = `${select} where (${key}) > (${table.key.map(() => "?").join()}) ${order}`;
	let count = 0;
	let rows = await from.query(`${select} ${order}`, []);
	while (rows.length > 0) {
		for (const row of rows) hash.update(JSON.stringify(cellsOf(row, table.columns).map(encode)));
		count += rows.length;
		await write(rows);
		rows = await from.query(next, cellsOf(rows.at(-1), table.key));
	}
	return { rows: count, sha256: hash.digest("base64") };
}

/** @throws StartError for a number that was rounded when it was read, so that a comparison could miss it */
function encode(cell: Value): Value {
	if (typeof cell !== "number") return cell instanceof Uint8Array ? `bytes ${cell.toHex()}` : cell;
	if (Number.isSafeInteger(cell)) return cell;
	throw new StartError("a row has a number that is not a whole number up to 2^53");
}

/** Returns names of columns or tables as a list in SQL, quoted for both engines. */
function list(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

function insert({ name, columns }: CopiedTable, to: CopyTarget, rows: readonly EngineRow[]) {
	const row = `(${columns.map(() => "?").join()})`;
	return to.query(
		`insert into "${name}" (${list(columns)}) values ${rows.map(() => row).join()}`,
		rows.flatMap((cells) => cellsOf(cells, columns)),
	);
}

function cellsOf(row: EngineRow | undefined, columns: readonly string[]): Value[] {
	return columns.map((column) => row?.[column] as Value);
}

/** The pragmas for filling a new file, which is discarded if anything fails. */
const fastPragmas = [
	`application_id = ${APPLICATION_ID}`,
	"journal_mode = MEMORY",
	"synchronous = OFF",
	"locking_mode = EXCLUSIVE",
	"cache_size = -262144",
];

/**
 * Opens a database file as the source of a copy, and prevents other processes from serving it.
 * @throws StartError if the file is missing, in use or damaged, or has an older schema
 */
function openSource(path: string): CopySource {
	const file = existingDatabase(path);
	using resources = new DisposableStack();
	resources.use(lockFile(file, "replace"));
	const sqlite = resources.use(openReadOnly(file));
	const isOlder = versionOf(sqlite) < migrations.length;
	const fault = contentFault(sqlite) ?? (isOlder ? "its schema is older: resort serve migrates it" : null);
	if (fault !== null) throw new StartError(`database ${file} cannot be copied: ${fault}`);
	// Reads everything from one snapshot, because programs other than resort may write to the file.
	sqlite.run("BEGIN");
	return sourceOf(sqlite, file, resources.move());
}

/**
 * Creates a database file as the target of a copy. It gets its final name when it is complete.
 * @throws StartError if the file or a log for it already exists, or the file cannot be created
 */
function openTarget(path: string): CopyTarget {
	requireFree(resolve(path));
	const file = realPath(path);
	// SQLite would apply the log of a moved or deleted database to the new one.
	for (const suffix of ["-wal", "-journal"]) requireFree(file + suffix);
	try {
		using resources = new DisposableStack();
		const unfinished = resources.use(new UnfinishedFile(temporaryName(file)));
		const sqlite = resources.use(openDatabase(unfinished.path, WRITABLE));
		for (const pragma of fastPragmas) sqlite.run(`PRAGMA ${pragma}`);
		migrate(sqlite, null);
		sqlite.run("BEGIN");
		return {
			...sourceOf(sqlite, file, resources.move()),
			async keep(lastEventId) {
				// In the other tables, SQLite itself numbers the next row after the last row.
				sqlite.run("DELETE FROM sqlite_sequence WHERE name = 'events'");
				sqlite.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)", [lastEventId]);
				sqlite.run("COMMIT");
				// The journal mode in which the resort serves and backs up databases.
				sqlite.run("PRAGMA journal_mode = WAL");
				sqlite.close(true);
				unfinished.renameToFree(file);
			},
		};
	} catch (error) {
		throw because(`database ${file} cannot be created`, error);
	}
}

function sourceOf(sqlite: Database, path: string, resources: DisposableStack): CopySource {
	return {
		path,
		async query(text, parameters) {
			using statement = sqlite.prepare<EngineRow, SQLQueryBindings[]>(text);
			return statement.all(...parameters);
		},
		// AUTOINCREMENT stores the highest id of `events` in this table.
		lastEventId: async () =>
			Number(readCell(sqlite, "SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0),
		close: async () => resources.dispose(),
	};
}

/** The isolation level of the transaction of a copy, and the lock that it holds on all tables. */
const roles = {
	/** Until the copy ends, nobody can write to the database. */
	source: { isolation: "repeatable read", lock: "share" },
	/** Until the copy ends, nobody can use the database. The schema is created if there is none. */
	target: { isolation: "read committed", lock: "access exclusive" },
} as const;

/**
 * Opens a database as the source or the target of a copy, in a transaction. An abort closes the connection.
 * @throws StartError if the source is empty or the target is not, or if the database is being served, not a
 * resort's, or has another version; PostgresFailure if aborted
 */
export async function openPostgres(
	role: keyof typeof roles,
	tables: readonly CopiedTable[],
	{ database, environment, signal }: Access,
): Promise<CopyTarget> {
	const { isolation, lock } = roles[role];
	const address = readAddress(database, environment);
	const path = withoutPassword(address);
	const refuse = (reason: string) => {
		throw new StartError(`the database ${path} ${reason}`);
	};
	await using resources = new AsyncDisposableStack();
	try {
		const session = resources.use(await openSession(address, false));
		signal.addEventListener("abort", () => session.destroy());
		signal.throwIfAborted();
		const run = (text: string) => session.runScript(text);
		// Prevents migrations and other copies.
		if (!(await tryMigrationLock(run)))
			refuse("is used by an instance, or another copy, that is starting: stop it");
		const version = await readVersion(run);
		if (version !== 0 && version !== schemaVersion) {
			refuse(
				`was created by an older version of resort (its schema is ${version}, this program uses ${schemaVersion})`,
			);
		}
		if (version === 0 && role === "source") refuse("is empty");
		await run(`begin isolation level ${isolation}`);
		if (version === 0) await run(wholeSchema);
		// Locks the tables of a source before the first SELECT, because that SELECT takes the snapshot.
		await lockTables(tables, session, lock);
		for (const { name } of role === "target" ? tables : []) {
			const rows = await session.run(`select 1 from "${name}" limit 1`);
			if (rows.length > 0) refuse(`is not empty: table ${name} has rows; use an empty database`);
		}
		// Locked tables keep an instance from starting, so none can begin to serve after this check.
		const serving = await session.countServing();
		if (serving > 0) refuse(`is in use (connections of instances: ${serving}); stop all instances`);
		resources.move();
		return {
			path,
			query: (text, parameters) => session.run(toPostgres(text), parameters),
			async lastEventId() {
				const [row] = await session.run("select last_value from event_ids");
				return row?.last_value as number;
			},
			keep: (lastEventId) => keep(session, tables, { path, lastEventId }),
			close: () => session.close(),
		};
	} catch (error) {
		throw signal.aborted ? error : cannotUse(path, error);
	}
}

/** Sets the statistics of the planner and the sequences, which a rollback would not reset, and commits. */
async function keep(
	session: PostgresSession,
	tables: readonly CopiedTable[],
	{ path, lastEventId }: { readonly path: string; readonly lastEventId: number },
): Promise<void> {
	await session.runScript(`analyze ${list(tables.map(({ name }) => name))}`);
	for (const { name } of tables.filter(({ key }) => key.join() === "seq")) {
		await session.runScript(
			`select setval(pg_get_serial_sequence('${name}', 'seq'), coalesce(max(seq), 0) + 1, false) from "${name}"`,
		);
	}
	await session.run("select setval('event_ids', $1)", [lastEventId]);
	try {
		await session.commit(async () => true);
	} catch (error) {
		const isKnown = !(error instanceof PostgresFailure) || error.state !== "";
		if (isKnown) throw error;
		throw new StartError(
			`the connection was lost during the commit: the database ${path} is either complete or unchanged; run the copy again (it is refused if the database is complete)`,
		);
	}
}

/** Locks all tables, and `heads`, to which every change of an instance writes. */
async function lockTables(
	tables: readonly CopiedTable[],
	session: PostgresSession,
	mode: (typeof roles)["source" | "target"]["lock"],
): Promise<void> {
	const names = ["heads", ...tables.map(({ name }) => name)];
	try {
		// Removes time limits, which the server may have set for all users.
		await session.runScript(
			`set local statement_timeout = 0;
			set local idle_in_transaction_session_timeout = 0;
			set local lock_timeout = '2s';
			lock table ${list(names)} in ${mode} mode;
			set local lock_timeout = 0`,
		);
	} catch (error) {
		if (!(error instanceof PostgresFailure && error.isTimeout)) throw error;
		throw new StartError("another program is using the tables of the database; stop it");
	}
}
