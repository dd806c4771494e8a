import { Database } from "bun:sqlite";
import { recounts } from "../support/recounts.ts";
import type { Book, Query } from "./book.ts";

/** Queries that return the ids of rows that contradict other rows, by a description of the contradiction. */
const contradictions = {
	...recounts,
	"a stay's newest activity differs from its log": `
		SELECT s.id FROM stays s
		JOIN (SELECT stay_id, max(seq) AS newest FROM activity_log GROUP BY stay_id) n ON n.stay_id = s.id
		JOIN activity_log l ON l.seq = n.newest
		WHERE coalesce(s.activity_name, '') <> l.activity_name OR coalesce(s.activity_started_at, 0) <> l.started_at`,
	"an agent has no key, or a key no agent":
		"SELECT a.id FROM agents a FULL JOIN api_keys k ON k.agent_id = a.id WHERE a.id IS NULL OR k.key_id IS NULL",
	"a vote without a completion": `
		SELECT v.id FROM experience_votes v WHERE NOT EXISTS
			(SELECT 1 FROM activity_log l WHERE l.experience_id = v.experience_id AND l.agent_id = v.agent_id)`,
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
	"an experience, a vote or a postcard has not one event, or an event not one of these": `
		SELECT coalesce(o.id, e.id) AS id FROM
			(SELECT 'experience.created' AS type, id FROM experiences
			UNION ALL SELECT 'postcard', id FROM postcards
			UNION ALL SELECT 'experience.rated', experience_id || agent_id FROM experience_votes) o
		FULL JOIN
			(SELECT kind, id, count(*) AS n FROM
				(SELECT CASE WHEN type LIKE 'postcard.%' THEN 'postcard' ELSE type END AS kind,
					CASE WHEN type = 'experience.rated' THEN subject_id || agent_id ELSE subject_id END AS id
				FROM events WHERE type LIKE 'postcard.%' OR type IN ('experience.created', 'experience.rated')) s
			GROUP BY kind, id) e
		ON e.kind = o.type AND e.id = o.id
		WHERE coalesce(n, 0) <> 1 OR o.id IS NULL`,
} as const;

/** Returns the contradictions in a database that nobody writes to. */
export async function examine(query: Query): Promise<string[]> {
	const found: string[] = [];
	for (const [what, text] of Object.entries(contradictions)) {
		const rows = await query(text);
		found.push(...rows.slice(0, 5).map(({ id }) => `${what}: ${id}`));
	}
	return found;
}

/**
 * Checks an SQLite file for damage, and compares it with the recorded writes.
 * @param rules finds contradictions; by default {@link examine}
 */
export async function examineFile(file: string, book: Book, rules = examine): Promise<string[]> {
	using sqlite = new Database(file, { readonly: true });
	const query: Query = (text) => sqlite.query<Record<string, unknown>, []>(text).all();
	const damage = sqlite.query("PRAGMA integrity_check").values().flat();
	const orphans = sqlite.query("PRAGMA foreign_key_check").values();
	return [
		...damage.filter((one) => one !== "ok").map((one) => `damage: ${one}`),
		...orphans.map((one) => `broken reference: ${one.join(" ")}`),
		...(await rules(query)),
		...(await book.check(query)).failures,
	];
}
