import { StartError } from "../../lib/start-error.ts";
import type { CopiedTable, Kind } from "./copied-tables.ts";
import type { Cell, Row } from "./place.ts";

const words: Readonly<Record<Kind, string>> = {
	integer: "whole number up to 2^53",
	text: "text without NUL",
	bytes: "bytes",
};

/**
 * Writes rows as JSON, an array of objects; bytes as PostgreSQL writes them, `\\x` and hexadecimal digits.
 * @throws StartError that names table and column, and no value, when a cell is not of its column's kind: SQLite takes
 * anything in any column, and NUL in texts, which PostgreSQL has not
 */
export function toJson(
	{ name, columns }: CopiedTable,
	rows: readonly Row[],
): string {
	for (const column of columns) {
		for (const row of rows) {
			if (isOfKind(row[column.name], column.kind)) continue;
			throw new StartError(
				`table ${name} cannot be copied: column ${column.name} has a value that is no ${words[column.kind]}`,
				1,
			);
		}
	}
	const bytes = columns.filter(({ kind }) => kind === "bytes");
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

function isOfKind(cell: Cell | undefined, kind: Kind): boolean {
	if (cell === null) return true;
	if (kind === "integer") return Number.isSafeInteger(cell);
	if (kind === "text") return typeof cell === "string" && !cell.includes("\0");
	return cell instanceof Uint8Array;
}

function toHex(cell: Cell | undefined): string | null {
	return cell instanceof Uint8Array ? `\\x${cell.toHex()}` : null;
}
