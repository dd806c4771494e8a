/** Queries that return the ids of rows whose stored counts differ from the rows that they count. */
export const recounts = {
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
		WHERE (e.rating_sum, e.total_votes, e.total_completions, coalesce(e.avg_rating, 0))
			<> (coalesce(sum, 0), coalesce(votes, 0), coalesce(done, 0), coalesce(cast(sum AS double precision) / votes, 0))`,
	"an agent's points or longest stay differ from its closed stays": `
		SELECT a.id FROM agents a
		LEFT JOIN (SELECT agent_id, sum(relaxation_points) AS points, max(checked_out_at - checked_in_at) AS longest FROM stays WHERE checked_out_at IS NOT NULL GROUP BY agent_id) s ON s.agent_id = a.id
		WHERE (a.rest_points, a.longest_stay_ms) <> (coalesce(points, 0), coalesce(longest, 0))`,
} as const;
