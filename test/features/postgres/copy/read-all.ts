/** Reads whole databases without using the code of `resort copy`. */
import { Database } from "bun:sqlite";
import { SQL } from "bun";

/** The rows of each table as sorted texts, which are the same on both engines. */
export type Contents = Readonly<Record<string, readonly string[]>>;

/** Tables that only one engine has, or that are not copied. */
const OWN = ["heads", "leases", "limits", "sqlite_sequence"];

/** Reads all rows of a database file, with all columns that the file declares, including computed ones. */
export function readFile(path: string): Contents {
	using sqlite = new Database(path, { readonly: true });
	const tables = sqlite
		.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
		.all();
	return contentsOf(
		tables.map(({ name }) => [name, sqlite.query<Line, []>(`SELECT * FROM "${name}"`).all()]),
	);
}

/** Reads all rows of a PostgreSQL database, with the columns that the database declares. */
export async function readDatabase(url: string): Promise<Contents> {
	await using sql = new SQL(url, { max: 1 });
	const tables: { name: string }[] = await sql`
		select tablename as name from pg_tables where schemaname = 'public'`;
	const lines: [string, Line[]][] = [];
	for (const { name } of tables) {
		lines.push([name, await sql.unsafe(`select * from "${name}"`)]);
	}
	return contentsOf(lines);
}

type Line = Readonly<Record<string, unknown>>;

function contentsOf(tables: readonly [string, readonly Line[]][]): Contents {
	return Object.fromEntries(
		tables
			.filter(([name]) => !OWN.includes(name))
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, lines]) => [name, lines.map(textOf).toSorted()]),
	);
}

function textOf(line: Line): string {
	const cells = Object.entries(line).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return cells.map(([name, value]) => `${name}=${cellOf(value)}`).join("|");
}

/** Formats a value. Numbers become texts, because PostgreSQL's client returns 64-bit numbers as texts. */
function cellOf(value: unknown): string {
	if (value === null) return "NULL";
	if (value instanceof Uint8Array) return `bytes ${value.toHex()}`;
	return `${value}`;
}

/** Describes the schema: tables, indexes, constraints, columns, functions and sequences. */
export async function schemaOf(url: string): Promise<readonly string[]> {
	await using sql = new SQL(url, { max: 1 });
	const rows: { what: string }[] = await sql`
		select 'index ' || indexdef as what from pg_indexes where schemaname = 'public'
		union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || convalidated::text || pg_get_constraintdef(oid)
			from pg_constraint where connamespace = 'public'::regnamespace
		union all select 'relation ' || relname || relkind::text || relpersistence::text || coalesce(array_to_string(reloptions, ','), '')
			from pg_class where relnamespace = 'public'::regnamespace
		union all select 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
				|| coalesce(column_default, '') || coalesce(identity_generation, '') || coalesce(collation_name, '')
			from information_schema.columns where table_schema = 'public'
		union all select 'function ' || proname || prosrc from pg_proc where pronamespace = 'public'::regnamespace
		order by 1`;
	return rows.map(({ what }) => what);
}
