import { StartError } from "../../lib/start-error.ts";
import { type CopiedTable, copiedTables } from "./copied-tables.ts";
import type { Source, Target } from "./place.ts";
import { toJson } from "./rows.ts";
import { type Summary, Summing } from "./summary.ts";

/** Hears how far a copy has come: how many rows of a table were copied, or compared, so far. */
export type Progress = (
	doing: "copy" | "compare",
	table: string,
	rows: number,
) => void;

/** What was copied: each table by its name. */
export type Copied = Readonly<Record<string, Summary>>;

/**
 * Copies every row of every table, compares both sides row by row, and makes the target last.
 * @throws StartError when they differ or a row cannot be copied; and what the engines report
 */
export async function copyAll(
	from: Source,
	to: Target,
	progress: Progress,
): Promise<Copied> {
	const copied: Record<string, Summary> = {};
	for (const table of copiedTables) {
		copied[table.name] = await copyTable(table, from, to, progress);
	}
	await to.complete();
	for (const table of copiedTables) {
		const { rows, sha256 } = await sumUp(table, to, progress);
		const known = copied[table.name];
		if (rows === known?.rows && sha256 === known.sha256) continue;
		throw new StartError(
			`table ${table.name} differs: ${known?.rows} rows in ${from.path}, and ${rows} in the copy`,
			1,
		);
	}
	const lastEventId = await from.lastEventId();
	await to.countFrom(lastEventId);
	if ((await to.lastEventId()) !== lastEventId) {
		throw new StartError("the ids of events would not go on in the copy", 1);
	}
	await to.keep();
	return copied;
}

/** Reads the next rows while the ones before are written. */
async function copyTable(
	table: CopiedTable,
	from: Source,
	to: Target,
	progress: Progress,
): Promise<Summary> {
	const summing = new Summing();
	let writing = Promise.resolve();
	for await (const rows of from.rows(table)) {
		const json = toJson(table, rows);
		summing.add(rows.length, json);
		await writing;
		writing = to.add(table, rows, json);
		// It is looked at in its turn.
		writing.catch(() => {});
		progress("copy", table.name, summing.rows);
	}
	await writing;
	return summing.end();
}

async function sumUp(
	table: CopiedTable,
	side: Source,
	progress: Progress,
): Promise<Summary> {
	const summing = new Summing();
	for await (const rows of side.rows(table)) {
		summing.add(rows.length, toJson(table, rows));
		progress("compare", table.name, summing.rows);
	}
	return summing.end();
}
