import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";

/** A guest of a generated database. */
export interface Guest {
	readonly id: string;
	readonly apiKey: string;
}

/** Reads the guests of a generated database. @param file an id and a key a line */
export function readGuests(file: string): Guest[] {
	return readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line) => {
			const [id = "", apiKey = ""] = line.split(" ");
			return { id, apiKey };
		});
}

/** Returns the experiences that guests have completed, as pairs of a guest and the id of an experience. */
export function readCompletions(
	database: string,
	guests: readonly Guest[],
): (readonly [guest: Guest, experienceId: string])[] {
	const byId = new Map(guests.map((guest) => [guest.id, guest]));
	using sqlite = new Database(database, { readonly: true });
	return sqlite
		.query<{ agent: string; experience: string }, []>(
			`SELECT DISTINCT agent_id AS agent, experience_id AS experience FROM activity_log
			WHERE experience_id IS NOT NULL AND agent_id IN (SELECT agent_id FROM stays WHERE checked_out_at IS NULL)`,
		)
		.all()
		.flatMap(({ agent, experience }) => {
			const guest = byId.get(agent);
			return guest === undefined ? [] : [[guest, experience] as const];
		});
}
