import { DAY_MS } from "../../lib/clock.ts";
import { createSessionToken, sha256 } from "../../lib/credential.ts";
import type { Rule } from "../../store/rule.ts";
import type { Store } from "../../store/store.ts";
import { tellHouse } from "../events/tell.ts";
import type { Resort } from "../resort.ts";
import {
	deleteEndedSessions,
	deleteSession,
	insertSession,
} from "./queries.ts";

/** How long a session lasts; together with the limit `create-session` it bounds how many there are. */
export const SESSION_MS = 7 * DAY_MS;

/**
 * Begins a session, inside a change, and forgets those that have ended.
 * @param seal seals the central key that makes it under its token; null for a direct key
 * @returns its token, which is told this once
 */
export function* beginSession(
	{ store, clock, random }: Resort,
	agentId: string,
	seal: ((token: string) => Uint8Array) | null,
): Rule<string> {
	const token = createSessionToken(random);
	const createdAt = clock();
	for (const ended of yield* deleteEndedSessions(store).all({
		nowMs: createdAt,
	})) {
		yield* tellHouse(store, "credential.ended", ended.agentId);
	}
	yield* insertSession(store).run({
		tokenHash: sha256(token),
		agentId,
		createdAt,
		expiresAt: createdAt + SESSION_MS,
		sealedKey: seal === null ? null : seal(token),
	});
	return token;
}

/** Ends a session; does nothing when there is none with this token. */
export function endSession(store: Store, token: string): Promise<void> {
	return store.change(function* () {
		const ended = yield* deleteSession(store).get({ tokenHash: sha256(token) });
		if (ended !== undefined) {
			yield* tellHouse(store, "credential.ended", ended.agentId);
		}
	});
}
