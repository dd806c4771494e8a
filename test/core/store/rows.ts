import type { SqliteStore } from "../../../src/core/store/sqlite/sqlite-store.ts";

/**
 * Inserts an agent directly on the connection, without the group commit of the store. While changes are
 * pending, call this function only within a change.
 */
export function insertAgent({ sqlite }: SqliteStore, id: string): void {
	sqlite.run(
		`INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
		VALUES (?, 'Ada', '[]', '[]', '[]', 1)`,
		[id],
	);
}

/** Returns the ids of all agents in the order of their creation. */
export function agentIds({ sqlite }: SqliteStore): string[] {
	const rows = sqlite.query<{ id: string }, []>("SELECT id FROM agents ORDER BY seq").all();
	return rows.map(({ id }) => id);
}
