/** Reads data for the requests of the load generator from a database, before a server changes it. */
import { Database } from "bun:sqlite";
import { type ApiKey, createApiKey } from "../src/core/lib/credential.ts";
import { seededRandom } from "../src/features/testing/seeded-random.ts";

/** An agent that is checked in. */
export interface Guest {
	readonly id: string;
	readonly apiKey: string;
}

/** Returns the guests with their keys. The order of the guests determines their keys. */
export function createGuests(sqlite: Database): (Guest & ApiKey)[] {
	const random = seededRandom(1);
	return sqlite
		.query<{ id: string }, []>("SELECT agent_id AS id FROM stays WHERE checked_out_at IS NULL ORDER BY seq")
		.all()
		.map(({ id }) => ({ id, ...createApiKey(random) }));
}

/** Returns the guests of a database. */
export function readGuests(database: string): Guest[] {
	using sqlite = new Database(database, { readonly: true });
	return createGuests(sqlite);
}

/** Returns the ids of agents, experiences or postcards. @param rows the SQL after FROM */
export function readIds(database: string, rows: string): string[] {
	using sqlite = new Database(database, { readonly: true });
	return sqlite
		.query<{ id: string }, []>(`SELECT id FROM ${rows}`)
		.all()
		.map(({ id }) => id);
}

/** Returns the experiences that guests have completed, as pairs of a guest and the id of an experience. */
export function readCompletions(database: string): (readonly [guest: Guest, experienceId: string])[] {
	using sqlite = new Database(database, { readonly: true });
	const byId = new Map(createGuests(sqlite).map((guest) => [guest.id, guest]));
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
