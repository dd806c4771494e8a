import { MINUTE_MS } from "../../lib/clock.ts";
import { cachedLookup } from "../../store/cached-lookup.ts";
import type { agents } from "../../store/tables.ts";
import type { QueryResult, Task } from "../../store/task.ts";
import { type EventType, publishInternal } from "../events/publish.ts";
import { failures } from "../failures.ts";
import type { ServiceContext } from "../service-context.ts";
import {
	authenticatedAgentRow,
	lockedAgent,
	setLastActive,
} from "./queries.ts";

/** An authenticated agent. {@link touch} updates the times of its visits. */
export type AuthenticatedAgent = Pick<
	typeof agents.$inferSelect,
	"id" | "lastActive" | "previousVisitEnd"
>;

/** A visit is a run of calls without a longer pause. */
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;

/** The events after which a cached agent or credential may be invalid. */
export const CREDENTIALS_ENDED = [
	"credential.ended",
	"agent.gone",
] as const satisfies EventType[];

/** Returns an active agent: one object for all its credentials. */
export const authenticatedAgent = cachedLookup(
	{ all: CREDENTIALS_ENDED, one: "agent.seen" satisfies EventType },
	(store, id): QueryResult<AuthenticatedAgent | undefined> =>
		authenticatedAgentRow(store).get({ id }),
);

/**
 * Records a call of an agent, at most once a minute. If the storage fails, the call continues.
 * @returns what the call must await, so that other instances are informed before the response; null without them
 */
export function touch(
	{ store, clock }: ServiceContext,
	agent: AuthenticatedAgent,
): Promise<void> | null {
	const nowMs = clock();
	const { id, lastActive } = agent;
	// `abs`: the clock may have been set back.
	const sinceMs = Math.abs(nowMs - (lastActive ?? -MINUTE_MS));
	if (sinceMs < MINUTE_MS) return null;
	const visitSince = nowMs - LONGEST_PAUSE_MS;
	agent.lastActive = nowMs;
	if (lastActive !== null && lastActive < visitSince) {
		agent.previousVisitEnd = lastActive;
	}
	const noted = store
		.writeUnsynced(function* () {
			yield* setLastActive(store).run({ id, lastActive: nowMs, visitSince });
			yield* publishInternal(store, "agent.seen", id);
		})
		.catch(() => {
			// The next call tries again.
			agent.lastActive = null;
		});
	return store.isShared ? noted : null;
}

/**
 * Runs a transaction on behalf of an agent.
 * @throws ResortError `unauthorized` if the agent was deactivated meanwhile; what the task throws
 */
export function writeAs<T>(
	{ store, provider }: ServiceContext,
	agentId: string,
	task: () => Task<T>,
): Promise<T> {
	return store.write(function* () {
		const isActive = store.isShared
			? (yield* lockedAgent(store).get({ id: agentId }))?.deactivatedAt === null
			: // The cached agent is valid: no other program writes meanwhile.
				(yield* authenticatedAgent(store, agentId)) !== undefined;
		if (!isActive) throw failures.unauthorized(provider?.url);
		return yield* task();
	});
}
