import type { Database } from "bun:sqlite";

/** What a column must hold; `PRESENT` is anything but null. */
type Value = string | number | null | typeof PRESENT;

/** Stands for a value that was not told, but that must be there. */
export const PRESENT: unique symbol = Symbol("present");

/** Columns of a row and what they must hold; a column that is not named may hold anything. */
export type Columns = Readonly<Record<string, Value>>;

/** The tables whose rows have an id that answers tell. */
const TABLES = [
	"agents",
	"stays",
	"activity_log",
	"experiences",
	"experience_votes",
	"postcards",
] as const;

/** The name of such a table. */
export type Table = (typeof TABLES)[number];

interface Entry {
	must: Columns;
	/** What it may hold instead, while it is not known whether a change was made. */
	may: Columns | null;
}

/** What clients were told that is stored, row by row. */
export class Ledger {
	readonly #tables = new Map<Table, Map<string, Entry>>(
		TABLES.map((table) => [table, new Map()]),
	);
	#acknowledged = 0;

	/** How many writes were acknowledged. */
	get acknowledged(): number {
		return this.#acknowledged;
	}

	/** Notes an acknowledged write: a new row, or new values for some columns of one. */
	acknowledge(table: Table, id: string, columns: Columns): void {
		this.#acknowledged++;
		const entries = this.#entries(table);
		const must = { ...entries.get(id)?.must, ...columns };
		entries.set(id, { must, may: null });
	}

	/** Notes that a change to a known row was asked for and not answered: made or not, either is right. */
	doubt(table: Table, id: string, columns: Columns): void {
		const entry = this.#entries(table).get(id);
		if (entry !== undefined) entry.may = { ...entry.must, ...columns };
	}

	/**
	 * Compares all rows with the database. Afterwards nothing is in doubt: what was found is what must be.
	 * @returns a sentence for each row that is lost or is not as it was told
	 */
	check(sqlite: Database): string[] {
		return TABLES.flatMap((table) => {
			const entries = this.#entries(table);
			const found: string[] = [];
			let met = 0;
			const query = sqlite.query<Record<string, unknown>, []>(
				`SELECT * FROM ${table}`,
			);
			for (const row of query.iterate()) {
				const entry = entries.get(String(row.id));
				if (entry === undefined) continue;
				met++;
				const { must, may } = entry;
				if (may !== null && fits(row, may)) entry.must = may;
				else if (!fits(row, must)) {
					found.push(`${table} ${row.id} is not as it was told: ${tell(row)}`);
				}
				entry.may = null;
			}
			if (met < entries.size) {
				found.push(`${table}: ${entries.size - met} acknowledged rows lost`);
			}
			return found;
		});
	}

	#entries(table: Table): Map<string, Entry> {
		return this.#tables.get(table) ?? new Map();
	}
}

function fits(row: Record<string, unknown>, columns: Columns): boolean {
	return Object.entries(columns).every(([name, value]) =>
		value === PRESENT ? row[name] !== null : row[name] === value,
	);
}

function tell(row: Record<string, unknown>): string {
	return JSON.stringify(row).slice(0, 300);
}
