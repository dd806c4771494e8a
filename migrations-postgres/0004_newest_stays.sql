UPDATE agents SET newest_stay = coalesce(
	(SELECT seq FROM stays WHERE agent_id = agents.id AND checked_out_at IS NULL),
	(SELECT seq FROM stays WHERE agent_id = agents.id ORDER BY checked_in_at DESC, seq DESC LIMIT 1),
	0
) WHERE newest_stay IS NULL;
