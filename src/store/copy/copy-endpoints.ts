import type { CopiedTable } from "./copied-tables.ts";

/** The value of one column of a row. */
export type Cell = number | string | Uint8Array | null;

/** The cells of a row by the names of their columns, in the order of its {@link CopiedTable}. */
export type Row = Readonly<Record<string, Cell>>;

/** How many rows are read and written at a time. */
export const ROWS_AT_ONCE = 5_000;

/** A snapshot of a database. */
export interface Source {
	/** Where it is, without a password. */
	readonly path: string;
	/** Reads a table in the order of its primary key, some rows at a time. */
	rows(table: CopiedTable): AsyncIterable<readonly Row[]>;
	/** Returns the greatest id that an event ever got, even if it was deleted since; 0 if there was none. */
	lastEventId(): Promise<number>;
	/** Closes it unchanged. */
	close(): Promise<void>;
}

/** A new database, which nobody sees before it is kept. */
export interface Target extends Source {
	/** @param json the rows as {@link toJson} writes them */
	add(table: CopiedTable, rows: readonly Row[], json: string): Promise<void>;
	/**
	 * Checks it, and creates what is created after the rows.
	 * @throws StartError if it is not sound
	 */
	complete(): Promise<void>;
	/** Continues the counters after the last rows, and that of events after the last id. */
	countFrom(lastEventId: number): Promise<void>;
	/** Makes it permanent. */
	keep(): Promise<void>;
	/** Closes it. If it was not kept, nothing of it is left. */
	close(): Promise<void>;
}
