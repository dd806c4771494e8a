import type { Answered } from "../../support/calls.ts";
import type { Houses } from "./support/houses.ts";

/** Counts the responses with each status. */
export function tally(answers: readonly Answered[]): Record<number, number> {
	const counts: Record<number, number> = {};
	for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}

/** Returns the types of an agent's events, in order. */
export async function eventsOf(houses: Houses, id: string): Promise<unknown[]> {
	const rows = await houses.rows(`SELECT type FROM events WHERE agent_id = '${id}' ORDER BY id`);
	return rows.map(({ type }) => type);
}
