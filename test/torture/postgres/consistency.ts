import type { SQL } from "bun";
import { contradictions } from "../consistency.ts";

/** More queries whose every row is a contradiction, in PostgreSQL's own words. */
const ownContradictions = {
	"an agent's newest stay is another one": `
		SELECT a.id FROM agents a
		WHERE a.newest_stay <> coalesce((SELECT seq FROM stays s WHERE s.agent_id = a.id ORDER BY checked_out_at IS NULL DESC, checked_in_at DESC, seq DESC LIMIT 1), 0)`,
	"an agent's stays and events differ": `
		SELECT a.id FROM agents a
		LEFT JOIN (SELECT agent_id, count(*) AS stays, count(checked_out_at) AS ended FROM stays GROUP BY agent_id) s ON s.agent_id = a.id
		LEFT JOIN (SELECT agent_id, count(*) FILTER (WHERE type = 'agent.relaxing') AS relaxing, count(*) FILTER (WHERE type = 'agent.available') AS available, count(*) FILTER (WHERE type = 'agent.did') AS did FROM events GROUP BY agent_id) e ON e.agent_id = a.id
		LEFT JOIN (SELECT agent_id, count(*) AS done FROM activity_log GROUP BY agent_id) l ON l.agent_id = a.id
		WHERE (coalesce(stays, 0), coalesce(ended, 0), coalesce(done, 0))
			<> (coalesce(relaxing, 0), coalesce(available, 0), coalesce(did, 0))`,
	"an experience, a vote or a postcard has not one event": `
		SELECT id FROM experiences
			WHERE (SELECT count(*) FROM events e WHERE e.type = 'experience.created' AND e.subject_id = experiences.id) <> 1
		UNION ALL SELECT experience_id || ' ' || agent_id FROM experience_votes v
			WHERE (SELECT count(*) FROM events e WHERE e.type = 'experience.rated' AND e.subject_id = v.experience_id AND e.agent_id = v.agent_id) <> 1
		UNION ALL SELECT id FROM postcards
			WHERE (SELECT count(*) FROM events e WHERE e.type LIKE 'postcard.%' AND e.subject_id = postcards.id) <> 1`,
	"an event without what it tells of": `
		SELECT e.id::text FROM events e WHERE
			e.type = 'experience.created' AND NOT EXISTS (SELECT 1 FROM experiences WHERE id = e.subject_id)
			OR e.type LIKE 'postcard.%' AND NOT EXISTS (SELECT 1 FROM postcards WHERE id = e.subject_id)`,
} as const;

/**
 * Looks for contradictions in a database that nobody writes to.
 * @returns a sentence for each thing that is wrong
 */
export async function examine(sql: SQL): Promise<string[]> {
	// The events have no index for these questions, which nobody else asks.
	await sql.unsafe("CREATE INDEX IF NOT EXISTS torture ON events (subject_id)");
	await sql.unsafe("ANALYZE");
	const found: string[] = [];
	for (const [what, query] of Object.entries({
		...contradictions,
		...ownContradictions,
	})) {
		const rows: { id: string }[] = await sql.unsafe(query);
		found.push(...rows.slice(0, 5).map(({ id }) => `${what}: ${id}`));
	}
	return found;
}
