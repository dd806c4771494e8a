ALTER TABLE idempotency_keys ADD COLUMN agent_id text COLLATE "C";
CREATE INDEX idempotency_keys_by_agent ON idempotency_keys (agent_id, seq);
UPDATE idempotency_keys SET agent_id = scope WHERE scope IN (SELECT id FROM agents);
