/** Copies all rows of a database from one engine to the other. */
import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { StartError } from "../../core/lib/start-error.ts";
import type { EngineRow, Value } from "../../core/store/store.ts";
import { sortTables, type Table } from "../../core/store/table-queries.ts";
import { leases } from "../../core/store/tables.ts";

/** The number of rows that are read and written at a time. SQLite allows 32,766 values in a statement. */
const ROWS_AT_ONCE = 1_000;

/** A table that both engines have. */
export interface CopiedTable {
	readonly name: string;
	/**
	 * The columns with their SQLite types (`integer`, `text` or `blob`). Columns computed by the engine are
	 * omitted.
	 */
	readonly columns: readonly { readonly name: string; readonly type: string }[];
	/** The columns of the primary key. Rows are read in the order of this key. */
	readonly key: readonly string[];
}

/** A database that is copied. No instance can serve it in the meantime. */
export interface CopySource {
	/** The location of the database, without a password. */
	readonly path: string;
	/** Runs a statement of SQL that both engines understand, with `?` for each parameter. */
	query(text: string, parameters: readonly Value[]): Promise<readonly EngineRow[]>;
	/**
	 * Returns the highest event id that was ever assigned, even if that event has been deleted since; 0 if no
	 * id was ever assigned.
	 */
	lastEventId(): Promise<number>;
	/** Closes the database. A target is discarded unless {@link CopyTarget.keep} was called. */
	close(): Promise<void>;
}

/** A new database with the newest schema. Other programs do not see it before {@link CopyTarget.keep}. */
export interface CopyTarget extends CopySource {
	/**
	 * Makes the database permanent, and sets its counters: the next row of a table gets the number after that
	 * of the last row, and the next event gets the id after `lastEventId`.
	 */
	keep(lastEventId: number): Promise<void>;
}

/** A summary of the rows of a table. */
interface Summary {
	readonly rows: number;
	/** The SHA-256 hash of all rows in the order of their primary keys, in base64. */
	readonly sha256: string;
}

/** The description of a valid value for error messages, by column type. */
const values: Readonly<Record<string, string>> = {
	integer: "a whole number up to 2^53",
	text: "text without NUL",
	blob: "a sequence of bytes",
};

const casing = new CasingCache("snake_case");

/**
 * Describes the tables to copy, each one after the tables that it refers to. Leases are not copied, because the
 * instances that hold them do not serve the copy.
 */
export function describeTables(tables: readonly Table[]): readonly CopiedTable[] {
	return sortTables(tables)
		.filter((table) => table !== leases)
		.map(describe);
}

/**
 * Copies all rows, compares the number and the hash of the rows of each table in both databases, and makes
 * the target permanent.
 * @throws StartError if the databases differ or a row cannot be copied; errors of the engines are passed on
 */
export async function copyAll(
	tables: readonly CopiedTable[],
	from: CopySource,
	to: CopyTarget,
): Promise<Readonly<Record<string, Summary>>> {
	const copied = new Map<CopiedTable, Summary>();
	for (const table of tables) {
		const summary = await eachRow(table, from, (rows) => insert(table, to, rows));
		copied.set(table, summary);
	}
	for (const [table, before] of copied) {
		const { rows, sha256 } = await eachRow(table, to);
		if (rows === before.rows && sha256 === before.sha256) continue;
		throw new StartError(`table ${table.name} differs from its copy (${before.rows} and ${rows} rows)`);
	}
	await to.keep(await from.lastEventId());
	return Object.fromEntries([...copied].map(([{ name }, summary]) => [name, summary]));
}

/**
 * Reads a table, passes its rows to `write`, and summarizes them.
 * @param write is called with several rows at a time
 * @throws StartError as {@link requireCopyable} does
 */
export async function eachRow(
	table: CopiedTable,
	from: Pick<CopySource, "query">,
	write: (rows: readonly EngineRow[]) => Promise<unknown> = async () => {},
): Promise<Summary> {
	const hash = new Bun.CryptoHasher("sha256");
	const key = list(table.key);
	const select = `select ${list(table.columns.map(({ name }) => name))} from "${table.name}"`;
	const order = `order by ${key} limit ${ROWS_AT_ONCE}`;
	const next = `${select} where (${key}) > (${table.key.map(() => "?").join()}) ${order}`;
	let count = 0;
	let rows = await from.query(`${select} ${order}`, []);
	for (; rows.length > 0; rows = await from.query(next, keyOf(table, rows.at(-1)))) {
		requireCopyable(table, rows);
		for (const row of rows) {
			const cells = table.columns.map(({ name }) => row[name]);
			hash.update(JSON.stringify(cells.map((cell) => (cell instanceof Uint8Array ? cell.toHex() : cell))));
		}
		count += rows.length;
		await write(rows);
	}
	return { rows: count, sha256: hash.digest("base64") };
}

/** Returns names of columns or tables as a list in SQL, quoted for both engines. */
export function list(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

function insert({ name, columns }: CopiedTable, to: CopyTarget, rows: readonly EngineRow[]) {
	const names = columns.map((column) => column.name);
	const row = `(${names.map(() => "?").join()})`;
	return to.query(
		`insert into "${name}" (${list(names)}) values ${rows.map(() => row).join()}`,
		rows.flatMap((cells) => names.map((column) => cells[column] as Value)),
	);
}

function keyOf({ key }: CopiedTable, row: EngineRow | undefined): Value[] {
	return key.map((name) => row?.[name] as Value);
}

/**
 * @throws StartError if the other engine could not store a cell: SQLite accepts texts with NUL, and values of
 * any type in any column. The message names the table and the column, but not the value
 */
function requireCopyable({ name, columns }: CopiedTable, rows: readonly EngineRow[]): void {
	for (const column of columns) {
		if (rows.every((row) => isOfType(row[column.name], column.type))) continue;
		throw new StartError(
			`table ${name} cannot be copied: column ${column.name} has a value that is not ${values[column.type]}`,
		);
	}
}

function isOfType(cell: unknown, type: string): boolean {
	if (cell === null) return true;
	if (type === "integer") return Number.isSafeInteger(cell);
	if (type === "text") return typeof cell === "string" && !cell.includes("\0");
	return cell instanceof Uint8Array;
}

function describe(table: SQLiteTable): CopiedTable {
	const { name, columns, primaryKeys } = getTableConfig(table);
	const keys = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
	const nameOf = (column: SQLiteColumn) => casing.getColumnCasing(column);
	return {
		name,
		columns: columns
			.filter(({ generated }) => generated === undefined)
			.map((column) => ({ name: nameOf(column), type: column.getSQLType() })),
		key: keys.map(nameOf),
	};
}
