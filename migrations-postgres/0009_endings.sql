ALTER TABLE stays ADD COLUMN ends_by bigint;
CREATE INDEX stays_open_by_end ON stays (ends_by, seq) WHERE checked_out_at IS NULL AND ends_by IS NOT NULL;
