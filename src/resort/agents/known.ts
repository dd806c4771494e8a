import { and, eq, isNull, sql } from "drizzle-orm";
import { MINUTE_MS } from "../../lib/clock.ts";
import { CREDENTIALS, type Topic } from "../../store/changes.ts";
import { remembered } from "../../store/remembered.ts";
import { type Db, direct, prepared } from "../../store/store.ts";
import { agents } from "../../store/tables.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";

/** What is known of an active agent, whichever credential it shows; {@link touch} moves its `lastActive`. */
export type KnownAgent = Pick<typeof agents.$inferSelect, "id" | "lastActive">;

/** The condition of the agent with the parameter `id`, unless it has been deactivated. */
export const isActive = and(
	eq(agents.id, sql.placeholder("id")),
	isNull(agents.deactivatedAt),
);

const activeRow = direct(
	{ id: agents.id, lastActive: agents.lastActive },
	(db, fields) => db.select(fields).from(agents).where(isActive),
);

/** An agent that has not been deactivated: one object for all of its credentials. */
export const knownAgent = remembered(
	"credentials",
	(store, id): KnownAgent | undefined => activeRow(store).get({ id }),
);

const touchAgent = prepared((db) =>
	db
		.update(agents)
		.set({ lastActive: sql`${sql.placeholder("nowMs")}` })
		.where(eq(agents.id, sql.placeholder("id")))
		.prepare(),
);

/**
 * Notes that an agent has been heard of (decisions 4, `lastActive`), at most once a minute.
 * It is a courtesy: the request goes on without waiting for it, also when the storage fails.
 */
export function touch({ store, clock }: Resort, agent: KnownAgent): void {
	const nowMs = clock();
	const { id, lastActive } = agent;
	// Also on a clock that was set back: the newest request is not the one with the latest time then.
	const sinceMs = Math.abs(nowMs - (lastActive ?? -MINUTE_MS));
	if (sinceMs < MINUTE_MS) return;
	agent.lastActive = nowMs;
	const { writer } = store;
	writer
		.write(() => touchAgent(store).run({ id, nowMs }), {
			topics: [],
			agents: [id],
		})
		.catch(() => {
			// The next request reads what was noted at last, and tries again.
			writer.changes.note(CREDENTIALS);
		});
}

/**
 * Writes on behalf of an agent, which may have changed or been deactivated since its request was
 * authenticated.
 * @param touches what the change alters of what everybody may read; `self` is the agent's status or profile
 * @param change synchronous code
 * @throws ResortError `unauthorized`, and what the change throws
 */
export function writeAs<T>(
	resort: Resort,
	agentId: string,
	touches: readonly (Topic | "self")[],
	change: (db: Db) => T,
): Promise<T> {
	return resort.store.writer.write(
		() => {
			if (knownAgent(resort.store, agentId) === undefined) {
				throw failures.unauthorized(resort.identity?.url);
			}
			return change(resort.store.db);
		},
		{
			topics: touches.filter((touch) => touch !== "self"),
			agents: touches.includes("self") ? [agentId] : [],
		},
	);
}
