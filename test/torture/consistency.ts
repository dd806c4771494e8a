import { Database } from "bun:sqlite";

/** Queries, for both engines, whose every row is a contradiction between what is kept twice. */
export const contradictions = {
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
	"a vote without a completion": `
		SELECT v.id FROM experience_votes v WHERE NOT EXISTS
			(SELECT 1 FROM activity_log l WHERE l.experience_id = v.experience_id AND l.agent_id = v.agent_id)`,
} as const;

/** More of them, in SQLite's own words. */
const ownContradictions = {
	"a stay's newest activity differs from its log": `
		SELECT s.id FROM stays s
		LEFT JOIN (SELECT stay_id, activity_name, started_at, max(seq) FROM activity_log GROUP BY stay_id) l ON l.stay_id = s.id
		WHERE (s.activity_name, s.activity_started_at) IS NOT (l.activity_name, l.started_at)`,
} as const;

/**
 * Looks into a database, also one that is served, for damage and for contradictions.
 * @param examine asked for more, with the open database
 * @returns a sentence for each thing that is wrong
 */
export function examine(
	file: string,
	examine: (sqlite: Database) => string[],
): string[] {
	const sqlite = new Database(file, { readonly: true });
	try {
		sqlite.run("PRAGMA busy_timeout = 5000");
		const damage = sqlite.query("PRAGMA integrity_check").values().flat();
		const orphans = sqlite.query("PRAGMA foreign_key_check").values();
		return [
			...damage.filter((one) => one !== "ok").map((one) => `damage: ${one}`),
			...orphans.map((one) => `leads nowhere: ${one.join(" ")}`),
			...Object.entries({ ...contradictions, ...ownContradictions }).flatMap(
				([what, query]) =>
					sqlite
						.query(query)
						.values()
						.map(([id]) => `${what}: ${id}`),
			),
			...examine(sqlite),
		];
	} finally {
		sqlite.close();
	}
}
