/** Copies all rows of a database from one engine to the other. */
import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { StartError } from "../../core/lib/start-error.ts";
import type { EngineRow, Value } from "../../core/store/store.ts";
import { sortTables, type Table } from "../../core/store/table-queries.ts";
import { leases } from "../../core/store/tables.ts";

/** The number of rows in a statement. SQLite allows 32,766 values in it, so at most 32 columns per row. */
const ROWS_AT_ONCE = 1_000;

/** A table that both engines have. */
export interface CopiedTable {
	readonly name: string;
	/** The columns that the engine does not compute. */
	readonly columns: readonly string[];
	/** The columns of the primary key. Rows are read in the order of this key. */
	readonly key: readonly string[];
}

/** A database that is copied. No instance can serve it before it is disposed of. */
export interface CopySource extends AsyncDisposable {
	/** The location of the database, without a password. */
	readonly path: string;
	/** Runs a statement of SQL that both engines understand, with `?` for each parameter. */
	query(text: string, parameters: readonly Value[]): Promise<readonly EngineRow[]>;
	/** Returns the highest event id that was ever assigned; 0 if there was none. */
	lastEventId(): Promise<number>;
}

/**
 * A new database with the newest schema. Other programs do not see it before {@link CopyTarget.keep}.
 * Disposing of it without `keep` discards it.
 */
export interface CopyTarget extends CopySource {
	/** Makes the database permanent, and sets its counters. The ids of new events follow `lastEventId`. */
	keep(lastEventId: number): Promise<void>;
}

/** The number of rows of a table, and the SHA-256 of all rows in the order of their keys, in base64. */
type Summary = Readonly<{ rows: number; sha256: string }>;

const casing = new CasingCache("snake_case");

/**
 * Describes the tables to copy, each after the tables that it refers to. Leases are not copied, because they
 * belong to running instances.
 */
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
 * Copies all rows and, if each table has the same rows in both databases, makes the target permanent.
 * @throws StartError if a table differs from its copy, for example because the target cannot represent a
 * value; errors of the engines
 */
export async function copyAll(
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

/** Reads a table in batches, passes each batch of rows to `write`, and returns a summary of all rows. */
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

/** @throws StartError for a number that may have been rounded on reading: the hashes would not reveal it */
function encode(cell: Value): Value {
	if (typeof cell !== "number") return cell instanceof Uint8Array ? `bytes ${cell.toHex()}` : cell;
	if (Number.isSafeInteger(cell)) return cell;
	throw new StartError("a row has a number that is not a whole number up to 2^53");
}

/** Returns names of columns or tables as a list in SQL, quoted for both engines. */
export function list(names: readonly string[]): string {
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
