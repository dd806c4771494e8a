import { StartError } from "../../lib/start-error.ts";
import type { Source, Target } from "../engine.ts";
import { type Cell, type CopiedTable, copiedTables, type Row } from "./copied-tables.ts";

/** A summary of the contents of a table. */
export interface Summary {
	readonly rows: number;
	/** The SHA-256 hash of all rows in the order of their primary keys, in base64. */
	readonly sha256: string;
}

/** The summaries of the copied tables, by name. */
export type Copied = Readonly<Record<string, Summary>>;

/** The description of a valid value for error messages, by column type. */
const values: Readonly<Record<string, string>> = {
	integer: "a whole number up to 2^53",
	text: "text without NUL",
	blob: "a sequence of bytes",
};

/**
 * Copies all rows of all tables, compares the number and the hash of the rows of each table in both
 * databases, and makes the target permanent.
 * @throws StartError if the databases differ or a row cannot be copied; errors of the engines are passed on
 */
export async function copyAll(from: Source, to: Target): Promise<Copied> {
	const copied: Record<string, Summary> = {};
	for (const table of copiedTables) {
		copied[table.name] = await eachRow(table, from, (rows, json) => to.add(table, rows, json));
	}
	await to.complete();
	for (const table of copiedTables) {
		const { rows, sha256 } = await eachRow(table, to);
		const before = copied[table.name];
		if (rows === before?.rows && sha256 === before.sha256) continue;
		throw new StartError(`table ${table.name} differs from its copy (${before?.rows} and ${rows} rows)`);
	}
	await to.keep(await from.lastEventId());
	return copied;
}

/**
 * Reads a table, passes its rows to `write`, and summarizes them. Reads the next rows while the previous rows
 * are being written.
 * @param write is called with several rows at a time, and with the same rows as a JSON array
 */
export async function eachRow(
	table: CopiedTable,
	from: Pick<Source, "rows">,
	write: (rows: readonly Row[], json: string) => Promise<void> = async () => {},
): Promise<Summary> {
	const hash = new Bun.CryptoHasher("sha256");
	let count = 0;
	let writing = Promise.resolve();
	for await (const rows of from.rows(table)) {
		const json = toJson(table, rows);
		count += rows.length;
		// Hashed without the brackets, so that the hash does not depend on the number of rows read at a time.
		hash.update(`${json.slice(1, -1)},`);
		await writing;
		writing = write(rows, json);
		// Prevents an unhandled rejection. The next `await` throws the error.
		writing.catch(() => {});
	}
	await writing;
	return { rows: count, sha256: hash.digest("base64") };
}

/**
 * Formats rows as a JSON array of objects. Bytes are written as in PostgreSQL: `\\x` and hexadecimal digits.
 * @throws StartError if the other engine could not store a cell: SQLite accepts texts with NUL, and values of
 * any type in any column. The message names the table and the column, but not the value
 */
export function toJson({ name, columns }: CopiedTable, rows: readonly Row[]): string {
	for (const column of columns) {
		for (const row of rows) {
			if (isOfType(row[column.name], column.type)) continue;
			throw new StartError(
				`table ${name} cannot be copied: column ${column.name} has a value that is not ${values[column.type]}`,
			);
		}
	}
	const bytes = columns.filter(({ type }) => type === "blob");
	if (bytes.length === 0) return JSON.stringify(rows);
	return JSON.stringify(
		rows.map((row) => ({
			...row,
			...Object.fromEntries(bytes.map((column) => [column.name, toHex(row[column.name])])),
		})),
	);
}

function isOfType(cell: Cell | undefined, type: string): boolean {
	if (cell === null) return true;
	if (type === "integer") return Number.isSafeInteger(cell);
	if (type === "text") return typeof cell === "string" && !cell.includes("\0");
	return cell instanceof Uint8Array;
}

function toHex(cell: Cell | undefined): string | null {
	return cell instanceof Uint8Array ? `\\x${cell.toHex()}` : null;
}
