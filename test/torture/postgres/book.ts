import type { SQL } from "bun";

/** What is known of a write after its answer. */
export type Fate =
	/** It was answered with success: it must be there once. */
	| "acknowledged"
	/** It was refused for certain: it must not be there. */
	| "refused"
	/** No answer came, or one that does not know: it may be there once. */
	| "unknown";

/** Where each kind of write leaves its mark: a text that no other write has. */
const places = {
	register: { table: "agents", column: "name" },
	checkIn: { table: "stays", column: "mood_on_arrival" },
	checkOut: { table: "stays", column: "mood_on_departure" },
	do: { table: "activity_log", column: "notes" },
	make: { table: "experiences", column: "name" },
	vote: { table: "experience_votes", column: "review" },
	postcard: { table: "postcards", column: "message" },
} as const;

/** A kind of write. */
export type Kind = keyof typeof places;

/** Columns that were told in an answer, and what they must hold. */
export type Told = Readonly<Record<string, string | number | null>>;

interface Entry {
	readonly kind: Kind;
	fate: Fate;
	told: Told;
}

/** What a comparison with the database found. */
export interface Found {
	readonly acknowledged: number;
	readonly refused: number;
	readonly unknown: number;
	/** Of the unknown ones, how many are there. */
	readonly happened: number;
	readonly lost: number;
	readonly doubled: number;
	/** Refused for certain, and yet there. */
	readonly appeared: number;
	/** A sentence for each of the first that are not as they must be. */
	readonly failures: readonly string[];
}

const TOLD_AT_MOST = 10;

/** What clients were told of their writes, and whether the database agrees. */
export class Book {
	readonly #entries = new Map<string, Entry>();

	/** Notes a write before it is sent; its fate is unknown until {@link settle}. */
	begin(kind: Kind, mark: string): void {
		this.#entries.set(mark, { kind, fate: "unknown", told: {} });
	}

	/** Notes what became of a write. */
	settle(mark: string, fate: Fate, told: Told = {}): void {
		const entry = this.#entries.get(mark);
		if (entry !== undefined) Object.assign(entry, { fate, told });
	}

	/** Compares all that was noted with the database. */
	async check(sql: SQL): Promise<Found> {
		const counts = { acknowledged: 0, refused: 0, unknown: 0 };
		const wrong = { lost: 0, doubled: 0, appeared: 0 };
		let happened = 0;
		const failures: string[] = [];
		const fail = (what: keyof typeof wrong, why: string) => {
			wrong[what]++;
			if (failures.length < TOLD_AT_MOST) failures.push(why);
		};
		const rows = new Map<Kind, Map<string, Record<string, unknown>[]>>();
		for (const kind of Object.keys(places) as Kind[]) {
			rows.set(kind, await readMarks(sql, kind));
		}
		for (const [mark, { kind, fate, told }] of this.#entries) {
			counts[fate]++;
			const [row, second] = rows.get(kind)?.get(mark) ?? [];
			if (second !== undefined)
				fail("doubled", `${kind} ${mark} is there twice`);
			if (fate === "unknown" && row !== undefined) happened++;
			if (fate === "refused" && row !== undefined) {
				fail("appeared", `${kind} ${mark} was refused, and is there`);
			}
			if (fate !== "acknowledged") continue;
			if (row === undefined) fail("lost", `${kind} ${mark} is lost`);
			else if (!fits(row, told)) {
				fail("lost", `${kind} ${mark} is not as told: ${JSON.stringify(told)}`);
			}
		}
		return { ...counts, ...wrong, happened, failures };
	}
}

async function readMarks(
	sql: SQL,
	kind: Kind,
): Promise<Map<string, Record<string, unknown>[]>> {
	const { table, column } = places[kind];
	const marks = new Map<string, Record<string, unknown>[]>();
	const found: Record<string, unknown>[] = await sql.unsafe(
		`select * from ${table} where ${column} is not null`,
	);
	for (const row of found) {
		const mark = String(row[column]);
		const known = marks.get(mark);
		if (known === undefined) marks.set(mark, [row]);
		else known.push(row);
	}
	return marks;
}

/** The client gives large numbers as texts. */
function fits(row: Record<string, unknown>, told: Told): boolean {
	return Object.entries(told).every(([name, value]) => {
		const is = row[name];
		return value === null ? is === null : String(is) === String(value);
	});
}
