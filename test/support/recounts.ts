/**
 * Pairs of queries. The first one reads counts that are stored in rows, and the second one counts the rows
 * themselves.
 */
export const recounts = {
	"the completions of every experience": [
		"select id, total_completions as n from experiences order by id",
		`select id, (select count(*) from activity_log where experience_id = experiences.id) as n
			from experiences order by id`,
	],
	"the votes of every experience": [
		"select id, total_votes as n, rating_sum as sum, avg_rating as average from experiences order by id",
		`select e.id, count(v.id) as n, coalesce(sum(v.rating), 0) as sum, cast(sum(v.rating) as double precision) / nullif(count(v.id), 0) as average
			from experiences e left join experience_votes v on v.experience_id = e.id
			group by e.id order by e.id`,
	],
	"the points and activities of every stay": [
		"select id, relaxation_points as points, activities_completed as n, experiences_completed as made from stays order by id",
		`select s.id, coalesce(sum(l.relaxation_points), 0) as points, count(l.id) as n, count(l.experience_id) as made
			from stays s left join activity_log l on l.stay_id = s.id
			group by s.id order by s.id`,
	],
	"the closed stays of every agent": [
		"select id, rest_points as points, longest_stay_ms as longest from agents order by id",
		`select a.id, coalesce(sum(s.relaxation_points), 0) as points, coalesce(max(s.checked_out_at - s.checked_in_at), 0) as longest
			from agents a left join stays s on s.agent_id = a.id and s.checked_out_at is not null
			group by a.id order by a.id`,
	],
	"the postcards of every stay": [
		"select id, postcards_sent as n from stays order by id",
		`select id, (select count(*) from postcards where stay_id = stays.id) as n
			from stays order by id`,
	],
} as const;
