import { MINUTE_MS } from "../../lib/clock.ts";
import { cachedLookup } from "../../store/cached-lookup.ts";
import type { agents } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";
import { type EventType, publishInternal } from "../events/publish.ts";
import { failures } from "../failures.ts";
import type { ServiceContext } from "../service-context.ts";
import { authenticatedAgentRow, lockedAgent, setVisit } from "./queries.ts";

/** An authenticated agent. {@link touch} updates `lastActive` and `previousVisitEnd`. */
export type AuthenticatedAgent = Pick<typeof agents.$inferSelect, "id" | "lastActive" | "previousVisitEnd">;

/** The maximum pause between two calls of the same visit. */
export const LONGEST_PAUSE_MS = 30 * MINUTE_MS;

/** The events after which a cached agent or a cached credential may be invalid. */
export const CREDENTIALS_ENDED = ["credential.ended", "agent.gone"] as const satisfies EventType[];

/**
 * Returns an active agent by its id, from a cache. All calls by the agent share one object, which {@link
 * touch} changes.
 */
export const authenticatedAgent = cachedLookup(
	{ all: CREDENTIALS_ENDED, one: "agent.seen" satisfies EventType },
	(store, id): Task<AuthenticatedAgent | undefined> => authenticatedAgentRow(store).get({ id }),
);

/**
 * Records the time of an agent's call, at most once a minute. If the database fails, the call continues.
 * @returns a promise that the call must await, so that other instances are notified before the response; null
 * if there is nothing to wait for
 */
export function touch({ store, clock }: ServiceContext, agent: AuthenticatedAgent): Promise<void> | null {
	const nowMs = clock();
	const { id, lastActive } = agent;
	// `Math.abs` is necessary because the difference is negative if the clock has been set back.
	const sinceMs = Math.abs(nowMs - (lastActive ?? -MINUTE_MS));
	if (sinceMs < MINUTE_MS) return null;
	agent.lastActive = nowMs;
	if (lastActive !== null && lastActive < nowMs - LONGEST_PAUSE_MS) {
		agent.previousVisitEnd = lastActive;
	}
	const visit = { id, lastActive: nowMs, previousVisitEnd: agent.previousVisitEnd };
	const noted = store
		.writeUnsynced(function* () {
			yield* setVisit(store).run(visit);
			yield* publishInternal(store, "agent.seen", id);
		})
		.catch(() => {
			// Restores the stored time, so that the agent's next call tries again.
			agent.lastActive = lastActive;
		});
	return store.isShared ? noted : null;
}

/**
 * Requires that an agent is active. If several instances share the database, locks the agent until the end of
 * the transaction. Call it in every transaction that changes the agent's data.
 * @throws ResortError `unauthorized` if the agent has been deactivated in the meantime
 */
export function* lockActive(context: ServiceContext, agentId: string): Task<void> {
	const { store } = context;
	// On SQLite, the cache is up to date: the store checked for changes by other programs when the transaction
	// began, and no other program can write before the transaction ends.
	const isActive = store.isShared
		? (yield* lockedAgent(store).get({ id: agentId }))?.deactivatedAt === null
		: (yield* authenticatedAgent(store, agentId)) !== undefined;
	if (!isActive) throw failures.unauthorized(context);
}

/** The authenticated agent and its credential. */
export interface Caller {
	readonly agent: AuthenticatedAgent;
	readonly credential:
		| { readonly kind: "key"; readonly keyId: string }
		| { readonly kind: "central" | "proxied"; readonly subject: string }
		| { readonly kind: "session"; readonly token: string };
}
