CREATE TABLE admin_tokens (
	hash bytea PRIMARY KEY,
	expires_at bigint NOT NULL
);
CREATE INDEX admin_tokens_by_expiry ON admin_tokens (expires_at);
