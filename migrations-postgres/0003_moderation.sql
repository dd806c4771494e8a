CREATE TABLE invites (
	code_hash bytea PRIMARY KEY,
	label text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	uses bigint NOT NULL,
	used bigint NOT NULL DEFAULT 0
);

ALTER TABLE experience_votes ADD COLUMN hidden_at bigint;
CREATE INDEX experience_votes_hidden ON experience_votes (hidden_at, seq) WHERE hidden_at IS NOT NULL;

ALTER TABLE experiences ADD COLUMN hidden_at bigint;
CREATE INDEX experiences_hidden ON experiences (creator_id, seq) WHERE hidden_at IS NOT NULL;

ALTER TABLE postcards ADD COLUMN hidden_at bigint;
DROP INDEX postcards_by_recipient;
CREATE INDEX postcards_by_recipient ON postcards (recipient_id, created_at, seq) WHERE recipient_id IS NOT NULL AND hidden_at IS NULL;
DROP INDEX postcards_public;
CREATE INDEX postcards_public ON postcards (created_at, seq) WHERE recipient_id IS NULL AND hidden_at IS NULL;
CREATE INDEX postcards_public_by_sender ON postcards (sender_id, created_at, seq) WHERE recipient_id IS NULL AND hidden_at IS NULL;
CREATE INDEX postcards_hidden ON postcards (hidden_at, seq) WHERE hidden_at IS NOT NULL;
