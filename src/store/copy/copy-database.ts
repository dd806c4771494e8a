import { StartError } from "../../lib/start-error.ts";
import type { Source, Target } from "../engine.ts";
import {
	type Cell,
	type CopiedTable,
	copiedTables,
	type Row,
} from "./copied-tables.ts";

/** A summary of the contents of a table. */
export interface Summary {
	readonly rows: number;
	/** SHA-256 of all rows in the order of their keys, in base64. */
	readonly sha256: string;
}

/** The summaries of the copied tables, by name. */
export type Copied = Readonly<Record<string, Summary>>;

/** How error messages describe a value of a column, by the column's type. */
const values: Readonly<Record<string, string>> = {
	integer: "whole number up to 2^53",
	text: "text without NUL",
	blob: "sequence of bytes",
};

/**
 * Copies every row of every table, compares both sides row by row, and keeps the target.
 * @throws StartError if they differ or a row cannot be copied; also what the engines throw
 */
export async function copyAll(from: Source, to: Target): Promise<Copied> {
	const copied: Record<string, Summary> = {};
	for (const table of copiedTables) {
		copied[table.name] = await eachRow(table, from, (rows, json) =>
			to.add(table, rows, json),
		);
	}
	await to.complete();
	for (const table of copiedTables) {
		const { rows, sha256 } = await eachRow(table, to);
		const before = copied[table.name];
		if (rows === before?.rows && sha256 === before.sha256) continue;
		throw new StartError(
			`table ${table.name} differs: ${before?.rows} rows in ${from.path}, and ${rows} in the copy`,
		);
	}
	await to.keep(await from.lastEventId());
	return copied;
}

/**
 * Reads a table and summarizes it. Reads the next rows while the previous ones are written.
 * @param write receives the rows, some at a time, also as a JSON array
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
		// Without the brackets, so that the hash does not depend on how many rows come at a time.
		hash.update(`${json.slice(1, -1)},`);
		await writing;
		writing = write(rows, json);
		// Not an unhandled rejection: the next `await` throws a failure.
		writing.catch(() => {});
	}
	await writing;
	return { rows: count, sha256: hash.digest("base64") };
}

/**
 * Writes rows as a JSON array of objects; bytes as PostgreSQL writes them, `\\x` and hexadecimal digits.
 * @throws StartError that names table and column, without the value, if a cell is not of its column's type: SQLite can
 * store any value in any column, and NUL in texts, but PostgreSQL cannot
 */
export function toJson(
	{ name, columns }: CopiedTable,
	rows: readonly Row[],
): string {
	for (const column of columns) {
		for (const row of rows) {
			if (isOfType(row[column.name], column.type)) continue;
			throw new StartError(
				`table ${name} cannot be copied: column ${column.name} has a value that is not a ${values[column.type]}`,
			);
		}
	}
	const bytes = columns.filter(({ type }) => type === "blob");
	if (bytes.length === 0) return JSON.stringify(rows);
	return JSON.stringify(
		rows.map((row) => ({
			...row,
			...Object.fromEntries(
				bytes.map((column) => [column.name, toHex(row[column.name])]),
			),
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
