import { MINUTE_MS } from "../../lib/clock.ts";
import { remembered } from "../../store/remembered.ts";
import type { agents } from "../../store/tables.ts";
import { type NewsType, tellHouse } from "../events.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import { knownAgentRow, setLastActive } from "./queries.ts";

/** What is known of an active agent, whichever credential it shows; {@link touch} moves its `lastActive`. */
export type KnownAgent = Pick<typeof agents.$inferSelect, "id" | "lastActive">;

/** The news after which an agent or a credential that is remembered may no longer be accepted. */
export const CREDENTIALS_ENDED = [
	"credential.ended",
	"agent.gone",
] as const satisfies NewsType[];

/** An agent that has not been deactivated: one object for all of its credentials. */
export const knownAgent = remembered(
	CREDENTIALS_ENDED,
	(store, id): KnownAgent | undefined => knownAgentRow(store).get({ id }),
);

/**
 * Notes that an agent has called, at most once a minute. The call does not wait for it, and goes on also when the
 * storage fails.
 */
export function touch({ store, clock }: Resort, agent: KnownAgent): void {
	const nowMs = clock();
	const { id, lastActive } = agent;
	// `abs`: the clock may have been set back.
	const sinceMs = Math.abs(nowMs - (lastActive ?? -MINUTE_MS));
	if (sinceMs < MINUTE_MS) return;
	agent.lastActive = nowMs;
	store
		.change(() => {
			setLastActive(store).run({ id, lastActive: nowMs });
			tellHouse(store, "agent.seen", id);
		})
		.catch(() => {
			// The next call tries again.
			agent.lastActive = null;
		});
}

/**
 * Changes something on behalf of an agent, which may have been deactivated since its call was authenticated.
 * @param change synchronous code
 * @throws ResortError `unauthorized`, and what the change throws
 */
export function changeAs<T>(
	{ store, provider }: Resort,
	agentId: string,
	change: () => T,
): Promise<T> {
	return store.change(() => {
		if (knownAgent(store, agentId) === undefined) {
			throw failures.unauthorized(provider?.url);
		}
		return change();
	});
}
