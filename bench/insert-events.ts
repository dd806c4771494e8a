import { Database } from "bun:sqlite";

/** How many agents share nine tenths of the inserted events. */
const BUSY_AGENTS = 100;

/**
 * Inserts public events of the first 5,000 agents into a database.
 * @param path the path of the database, which no server has open
 * @returns the ids of the 100 agents that share nine tenths of the events
 */
export function insertEvents(path: string, count: number): string[] {
	using sqlite = new Database(path);
	sqlite.run(
		`INSERT INTO events (type, at, agent_id, details)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
		SELECT 'agent.did', ${Date.now()}, agents.id, '{"activityId":"tidepool-float","name":"Tidepool Float","category":"water","relaxationPoints":4}'
		FROM n JOIN agents ON agents.seq = 1 + iif(i % 10, i % ${BUSY_AGENTS}, i % 5000)`,
	);
	return sqlite
		.query<{ id: string }, []>(`SELECT id FROM agents ORDER BY seq LIMIT ${BUSY_AGENTS}`)
		.all()
		.map(({ id }) => id);
}
