import { count } from "drizzle-orm";
import type { SqliteStore as Store } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { agents, stays } from "../../../src/core/store/tables.ts";
import { dbOf } from "../../support/store.ts";

/**
 * Inserts an agent by a statement that bypasses the store's commits. If changes are pending, call it in a
 * change.
 */
export function insertAgent(store: Store, id: string): void {
	dbOf(store)
		.insert(agents)
		.values({ id, name: "Ada", relaxationStyle: [], comfortObjects: [], interests: [], createdAt: 1 })
		.run();
}

/** Inserts a stay of agent `a` by a statement that bypasses the store's commits. */
export function insertStay(store: Store): void {
	dbOf(store)
		.insert(stays)
		.values({
			id: crypto.randomUUID(),
			agentId: "a",
			roomType: "Tidepool Cabana",
			roomNumber: 1,
			checkedInAt: 1_000,
		})
		.run();
}

/** Returns the ids of all agents in the order of their creation. */
export function agentIds(store: Store): string[] {
	const rows = dbOf(store).select({ id: agents.id }).from(agents);
	return rows
		.orderBy(agents.seq)
		.all()
		.map(({ id }) => id);
}

/** Counts the agents. */
export function countAgents(store: Store): number {
	return dbOf(store).select({ count: count() }).from(agents).get()?.count ?? 0;
}
