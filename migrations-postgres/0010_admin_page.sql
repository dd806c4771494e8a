CREATE TABLE admin_tokens (
	hash bytea PRIMARY KEY,
	expires_at bigint NOT NULL
);
CREATE INDEX admin_tokens_by_expiry ON admin_tokens (expires_at);

CREATE TABLE house_hours (
	hour bigint PRIMARY KEY,
	most_guests bigint NOT NULL,
	check_ins bigint NOT NULL,
	registrations bigint NOT NULL,
	bytes bigint
);
