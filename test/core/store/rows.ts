import { count } from "drizzle-orm";
import type { SqliteStore as Store } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { agents, stays } from "../../../src/core/store/tables.ts";
import { dbOf } from "../../support/store.ts";

/** Adds an agent at once, past the writer; it must stand in a change when there are others. */
export function insertAgent(store: Store, id: string): void {
	dbOf(store)
		.insert(agents)
		.values({ id, name: "Ada", relaxationStyle: [], comfortObjects: [], interests: [], createdAt: 1 })
		.run();
}

/** Adds a stay of agent `a` at once, past the writer. */
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

/** The ids of all agents in the order of their making. */
export function agentIds(store: Store): string[] {
	const rows = dbOf(store).select({ id: agents.id }).from(agents);
	return rows
		.orderBy(agents.seq)
		.all()
		.map(({ id }) => id);
}

/** How many agents there are. */
export function countAgents(store: Store): number {
	return dbOf(store).select({ count: count() }).from(agents).get()?.count ?? 0;
}
