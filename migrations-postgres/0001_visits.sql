ALTER TABLE agents ADD COLUMN previous_visit_end bigint;
CREATE INDEX activity_log_of_experience ON activity_log (experience_id, started_at, seq) WHERE experience_id IS NOT NULL;
