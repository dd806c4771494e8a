import type { SQL } from "drizzle-orm";
import type { Fields, TableColumn } from "./query.ts";
import type { NumberedTable } from "./table-queries.ts";

/** A table with data of agents, for the commands of the host: `export`, `erase`, `hide` and `show`. */
export interface PersonalTable {
	readonly table: NumberedTable;
	/** The name of the list that contains the rows in the export of an agent's data. */
	readonly name: string;
	/** The column with the agent's id, or a condition with the placeholder `agentId`. */
	readonly owner: TableColumn | SQL | undefined;
	/** The exported fields, without secrets; all columns by default. */
	readonly fields?: Fields;
	/**
	 * The columns that an erasure sets to null, or to `(erased)` if null is not allowed; `rows` if an erasure
	 * deletes the rows.
	 */
	readonly erased?: readonly TableColumn[] | "rows";
	/** Set if everybody can read the texts in the rows until the host hides them. */
	readonly texts?: HideableTexts;
}

/** Public texts. A text whose row has a `hiddenAt` is hidden. */
export interface HideableTexts {
	/** A noun, as in `resort admin hide postcard`. With an s, it names the command that lists the texts. */
	readonly kind: string;
	readonly table: NumberedTable & Readonly<Record<"id" | "createdAt" | "hiddenAt", TableColumn>>;
	/** The id of the author. */
	readonly agentId: TableColumn;
	readonly text: TableColumn;
}
