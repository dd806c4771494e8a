DROP INDEX events_public_by_type;
DROP INDEX events_public_by_agent;
DROP INDEX events_by_recipient;
DROP INDEX events_by_creator;
