import { Database } from "bun:sqlite";

/** Queries whose every row is a contradiction between what is kept twice. */
const contradictions = {
	"a stay's points or counters differ from its logs": `
		SELECT s.id FROM stays s WHERE
			relaxation_points <> (SELECT coalesce(sum(l.relaxation_points), 0) FROM activity_log l WHERE l.stay_id = s.id)
			OR activities_completed <> (SELECT count(*) FROM activity_log l WHERE l.stay_id = s.id)
			OR postcards_sent <> (SELECT count(*) FROM postcards p WHERE p.stay_id = s.id)`,
	"a stay's newest activity differs from its log": `
		SELECT s.id FROM stays s WHERE (activity_name, activity_started_at) IS NOT
			(SELECT l.activity_name, l.started_at FROM activity_log l WHERE l.stay_id = s.id ORDER BY seq DESC LIMIT 1)`,
	"an experience's aggregates differ from its votes and completions": `
		SELECT e.id FROM experiences e WHERE
			rating_sum <> (SELECT coalesce(sum(rating), 0) FROM experience_votes v WHERE v.experience_id = e.id)
			OR total_votes <> (SELECT count(*) FROM experience_votes v WHERE v.experience_id = e.id)
			OR total_completions <> (SELECT count(*) FROM activity_log l WHERE l.experience_id = e.id)`,
	"an agent has no key, or a key no agent":
		"SELECT a.id FROM agents a FULL JOIN api_keys k ON k.agent_id = a.id WHERE a.id IS NULL OR k.key_id IS NULL",
	"a vote without a completion": `
		SELECT v.id FROM experience_votes v WHERE NOT EXISTS
			(SELECT 1 FROM activity_log l WHERE l.experience_id = v.experience_id AND l.agent_id = v.agent_id)`,
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
			...Object.entries(contradictions).flatMap(([what, query]) =>
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
