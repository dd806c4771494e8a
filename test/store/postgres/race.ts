import type { Houses, HousesOptions } from "../../support/postgres/houses.ts";
import type { Answered } from "../../support/resort.ts";

/** Calls of several instances at the same moment, and how they must end. */
export interface Race {
	readonly name: string;
	readonly setup?: NonNullable<HousesOptions["setup"]>;
	/** Runs it once, with agents of its own; throws when it ends otherwise. */
	readonly run: (houses: Houses) => Promise<void>;
}

/** How many answers have each status. */
export function tally(answers: readonly Answered[]): Record<number, number> {
	const counts: Record<number, number> = {};
	for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}

/** The types of an agent's events, in their order. */
export async function eventsOf(houses: Houses, id: string): Promise<unknown[]> {
	const rows = await houses.rows(
		`SELECT type FROM events WHERE agent_id = '${id}' ORDER BY id`,
	);
	return rows.map(({ type }) => type);
}
