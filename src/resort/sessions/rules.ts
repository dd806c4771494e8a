import { DAY_MS } from "../../lib/clock.ts";
import { createSessionToken, sha256 } from "../../lib/credential.ts";
import type { Store } from "../../store/store.ts";
import { tellHouse } from "../events.ts";
import type { Resort } from "../resort.ts";
import {
	deleteEndedSessions,
	deleteSession,
	insertSession,
} from "./queries.ts";

/** How long a session lasts. */
export const SESSION_MS = 7 * DAY_MS;

/**
 * Begins a session, inside a change, and forgets those that have ended.
 * @returns its token, which is told this once
 */
export function beginSession(
	{ store, clock, random }: Resort,
	agentId: string,
): string {
	const token = createSessionToken(random);
	const createdAt = clock();
	for (const ended of deleteEndedSessions(store).all({ nowMs: createdAt })) {
		tellHouse(store, "credential.ended", ended.agentId);
	}
	insertSession(store).run({
		tokenHash: sha256(token),
		agentId,
		createdAt,
		expiresAt: createdAt + SESSION_MS,
	});
	return token;
}

/** Ends a session; does nothing when there is none with this token. */
export function endSession(store: Store, token: string): Promise<void> {
	return store.change(() => {
		const ended = deleteSession(store).get({ tokenHash: sha256(token) });
		if (ended !== undefined) {
			tellHouse(store, "credential.ended", ended.agentId);
		}
	});
}
