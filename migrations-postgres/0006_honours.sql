ALTER TABLE agents ADD COLUMN rest_points bigint NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN longest_stay_ms bigint NOT NULL DEFAULT 0;
UPDATE agents SET rest_points = total.points, longest_stay_ms = total.longest
	FROM (
		SELECT agent_id, sum(relaxation_points) AS points, max(checked_out_at - checked_in_at) AS longest
		FROM stays WHERE checked_out_at IS NOT NULL GROUP BY agent_id
	) AS total
	WHERE agents.id = total.agent_id;
CREATE INDEX agents_by_rest ON agents (rest_points, seq)
	WHERE deactivated_at IS NULL AND rest_points > 0;
CREATE INDEX agents_by_longest_stay ON agents (longest_stay_ms, seq)
	WHERE deactivated_at IS NULL AND longest_stay_ms > 0;

ALTER TABLE experiences ADD COLUMN weighted_rating double precision
	GENERATED ALWAYS AS ((rating_sum + 15)::double precision / (total_votes + 5)) STORED;
CREATE INDEX experiences_by_weight
	ON experiences (weighted_rating, total_votes, created_at, seq) WHERE archived_at IS NULL;
CREATE INDEX experiences_in_category_by_weight
	ON experiences (category_key, weighted_rating, total_votes, created_at, seq) WHERE archived_at IS NULL;

CREATE INDEX experience_votes_by_rating ON experience_votes (rating, experience_id, seq);
