import { DAY_MS } from "../../lib/clock.ts";
import { createSessionToken, sha256 } from "../../lib/credential.ts";
import type { Store } from "../../store/store.ts";
import type { Task } from "../../store/task.ts";
import type { ServiceContext } from "../context.ts";
import { publishInternal } from "../events/publish.ts";
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
	{ store, clock, random }: ServiceContext,
	agentId: string,
	seal: ((token: string) => Uint8Array) | null,
): Task<string> {
	const token = createSessionToken(random);
	const createdAt = clock();
	for (const ended of yield* deleteEndedSessions(store).all({
		nowMs: createdAt,
	})) {
		yield* publishInternal(store, "credential.ended", ended.agentId);
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
	return store.write(function* () {
		const ended = yield* deleteSession(store).get({ tokenHash: sha256(token) });
		if (ended !== undefined) {
			yield* publishInternal(store, "credential.ended", ended.agentId);
		}
	});
}
