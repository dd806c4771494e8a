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

/** What is known of an active agent, whichever credential it shows; {@link touch} moves the times of its visits. */
export type AuthenticatedAgent = Pick<
	typeof agents.$inferSelect,
	"id" | "lastActive" | "previousVisitEnd"
>;

/** A visit is a run of calls without a longer pause. */
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;

/** The news after which an agent or a credential that is remembered may no longer be accepted. */
export const CREDENTIALS_ENDED = [
	"credential.ended",
	"agent.gone",
] as const satisfies EventType[];

/** An agent that has not been deactivated: one object for all of its credentials. */
export const authenticatedAgent = cachedLookup(
	{ all: CREDENTIALS_ENDED, one: "agent.seen" satisfies EventType },
	(store, id): QueryResult<AuthenticatedAgent | undefined> =>
		authenticatedAgentRow(store).get({ id }),
);

/**
 * Notes that an agent has called, at most once a minute, and whether a new visit begins with that. The call goes on
 * also when the storage fails.
 * @returns what the call waits for, so that other instances know of it before the answer; null where there are none
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
 * Changes something on behalf of an agent, which may have been deactivated since its call was authenticated.
 * @throws ResortError `unauthorized`, and what the change throws
 */
export function writeAs<T>(
	{ store, provider }: ServiceContext,
	agentId: string,
	rule: () => Task<T>,
): Promise<T> {
	return store.write(function* () {
		const isActive = store.isShared
			? (yield* lockedAgent(store).get({ id: agentId }))?.deactivatedAt === null
			: // What is remembered holds for a change, as nobody else changes anything meanwhile.
				(yield* authenticatedAgent(store, agentId)) !== undefined;
		if (!isActive) throw failures.unauthorized(provider?.url);
		return yield* rule();
	});
}
