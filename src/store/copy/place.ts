import type { CopiedTable } from "./copied-tables.ts";

/** What stands in one column of a row. */
export type Cell = number | string | Uint8Array | null;

/** The cells of a row by the names of their columns, in the order of its {@link CopiedTable}. */
export type Row = Readonly<Record<string, Cell>>;

/** How many rows are read and written at a time. */
export const ROWS_AT_ONCE = 5_000;

/** A database that is read, as it is at one moment; nobody changes it meanwhile. */
export interface Source {
	/** Where it is, as it may be told. */
	readonly path: string;
	/** All rows of a table, in the order of its primary key, some at a time. */
	rows(table: CopiedTable): AsyncIterable<readonly Row[]>;
	/** The greatest id that an event has ever got, also when it was deleted since; 0 when there was none. */
	lastEventId(): Promise<number>;
	/** Lets go of it; it is as it was. */
	close(): Promise<void>;
}

/** A new database, which nobody sees before it is kept. */
export interface Target extends Source {
	/** @param json the rows as {@link toJson} writes them */
	add(table: CopiedTable, rows: readonly Row[], json: string): Promise<void>;
	/**
	 * Checks and makes what is left to do when all rows are there.
	 * @throws StartError when it is not sound
	 */
	complete(): Promise<void>;
	/** Lets new rows be counted on from the last ones, and new events from the last id. */
	countFrom(lastEventId: number): Promise<void>;
	/** Makes it last. */
	keep(): Promise<void>;
	/** Lets go of it; when it was not kept, nothing of it is left. */
	close(): Promise<void>;
}
