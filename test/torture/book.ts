/**
 * The result of a write. An acknowledged write must be stored once, a refused one must not be stored, and one
 * with an unknown result may be stored.
 */
export type Fate = "acknowledged" | "refused" | "unknown";

/** The column that stores the unique text of a write (its mark), for each kind of write. */
const places = {
	register: { table: "agents", column: "name" },
	profile: { table: "agents", column: "bio" },
	checkIn: { table: "stays", column: "mood_on_arrival" },
	checkOut: { table: "stays", column: "mood_on_departure" },
	do: { table: "activity_log", column: "notes" },
	make: { table: "experiences", column: "name" },
	vote: { table: "experience_votes", column: "review" },
	postcard: { table: "postcards", column: "message" },
} as const;

/** A kind of write. */
export type Kind = keyof typeof places;

/** Values in a response to a write, by the column in which they must be stored. */
export type Told = Readonly<Record<string, string | number | null>>;

/** A row of a table. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement in the database. */
export type Query = (text: string) => Promise<readonly Row[]> | readonly Row[];

interface Entry {
	readonly kind: Kind;
	fate: Fate;
	told: Told;
}

/** The result of a comparison with the database. */
export interface Found {
	readonly acknowledged: number;
	readonly refused: number;
	readonly unknown: number;
	/** The first failures, each as a sentence. */
	readonly failures: readonly string[];
}

const MAX_FAILURES = 10;

/** Records the results of all writes, and compares them with the database. */
export class Book {
	readonly #entries = new Map<string, Entry>();
	acknowledged = 0;

	/** Returns the unique text for a new write. The result of the write is unknown until {@link settle}. */
	begin(kind: Kind): string {
		const mark = `🌴 ${this.#entries.size}`;
		this.#entries.set(mark, { kind, fate: "unknown", told: {} });
		return mark;
	}

	settle(mark: string, fate: Fate, told: Told = {}): void {
		const entry = this.#entries.get(mark);
		if (entry !== undefined) Object.assign(entry, { fate, told });
		if (fate === "acknowledged") this.acknowledged++;
	}

	/** Compares all recorded writes with a database that nobody writes to. */
	async check(query: Query): Promise<Found> {
		const counts = { acknowledged: 0, refused: 0, unknown: 0 };
		const failures: string[] = [];
		const fail = (what: string, why: string) => {
			if (failures.length < MAX_FAILURES) failures.push(`${what}: ${why}`);
		};
		const rows = new Map<string, Map<string, Row[]>>();
		for (const [kind, { table, column }] of Object.entries(places)) {
			const marked = await query(`select * from ${table} where ${column} is not null`);
			rows.set(
				kind,
				Map.groupBy(marked, (row) => String(row[column])),
			);
		}
		for (const [mark, { kind, fate, told }] of this.#entries) {
			counts[fate]++;
			const [row, second] = rows.get(kind)?.get(mark) ?? [];
			const what = `${kind} ${mark} ${JSON.stringify(told)}`;
			if (second !== undefined) fail("doubled", what);
			if (fate === "refused" && row !== undefined) fail("appeared", what);
			const isThere = row !== undefined && fits(row, told);
			if (fate === "acknowledged" && !isThere) fail("lost", what);
		}
		return { ...counts, failures };
	}
}

/** Whether a row has the values in a response, compared as texts: PostgreSQL returns large numbers so. */
function fits(row: Row, told: Told): boolean {
	return Object.entries(told).every(([name, value]) => {
		const actual = row[name];
		return value === null ? actual === null : String(actual) === String(value);
	});
}
