import type { SQL } from "bun";

/** Queries whose every row is a contradiction between what is kept twice. */
const contradictions = {
	"a stay's points or counters differ from its logs": `
		SELECT s.id FROM stays s
		LEFT JOIN (SELECT stay_id, sum(relaxation_points) AS points, count(*) AS done, count(experience_id) AS made FROM activity_log GROUP BY stay_id) l ON l.stay_id = s.id
		LEFT JOIN (SELECT stay_id, count(*) AS sent FROM postcards GROUP BY stay_id) p ON p.stay_id = s.id
		WHERE (s.relaxation_points, s.activities_completed, s.experiences_completed, s.postcards_sent)
			<> (coalesce(points, 0), coalesce(done, 0), coalesce(made, 0), coalesce(sent, 0))`,
	"an experience's aggregates differ from its votes and completions": `
		SELECT e.id FROM experiences e
		LEFT JOIN (SELECT experience_id, sum(rating) AS sum, count(*) AS votes FROM experience_votes GROUP BY experience_id) v ON v.experience_id = e.id
		LEFT JOIN (SELECT experience_id, count(*) AS done FROM activity_log GROUP BY experience_id) l ON l.experience_id = e.id
		WHERE (e.rating_sum, e.total_votes, e.total_completions)
			<> (coalesce(sum, 0), coalesce(votes, 0), coalesce(done, 0))`,
	"an agent has no key, or a key no agent":
		"SELECT a.id FROM agents a FULL JOIN api_keys k ON k.agent_id = a.id WHERE a.id IS NULL OR k.key_id IS NULL",
	"an agent's newest stay is another one": `
		SELECT a.id FROM agents a
		WHERE a.newest_stay <> coalesce((SELECT seq FROM stays s WHERE s.agent_id = a.id ORDER BY checked_out_at IS NULL DESC, checked_in_at DESC, seq DESC LIMIT 1), 0)`,
	"a vote without a completion": `
		SELECT v.id FROM experience_votes v WHERE NOT EXISTS
			(SELECT 1 FROM activity_log l WHERE l.experience_id = v.experience_id AND l.agent_id = v.agent_id)`,
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
	for (const [what, query] of Object.entries(contradictions)) {
		const rows: { id: string }[] = await sql.unsafe(query);
		found.push(...rows.slice(0, 5).map(({ id }) => `${what}: ${id}`));
	}
	return found;
}
