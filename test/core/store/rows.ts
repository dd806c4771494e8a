import type { SqliteStore } from "../../../src/core/store/sqlite/sqlite-store.ts";

/**
 * Inserts an agent directly on the store's connection. While the store has pending changes, call this
 * function only inside `store.write`.
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
