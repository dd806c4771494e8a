import { DAY_MS } from "../../lib/clock.ts";
import { createSessionToken, sha256 } from "../../lib/credential.ts";
import type { Store } from "../../store/store.ts";
import type { Task } from "../../store/task.ts";
import { publishInternal } from "../events/publish.ts";
import type { ServiceContext } from "../service-context.ts";
import { deleteExpired, deleteSession, insertSession } from "./queries.ts";

/** The name of the session cookie; its prefix binds it to this host and to https (RFC 6265bis, 4.1.3.2). */
export const SESSION_COOKIE = "__Host-resort_session";

/** The lifetime of a session; with the limit `create-session`, it bounds the number of sessions. */
export const SESSION_MS = 7 * DAY_MS;

/**
 * Creates a session, inside a change, and deletes those that have expired.
 * @param seal encrypts the central key with the token; null for a direct key
 * @returns the token, of which only the hash is stored
 */
export function* beginSession(
	context: ServiceContext,
	agentId: string,
	seal: ((token: string) => Uint8Array) | null,
): Task<string> {
	const { store, clock, random } = context;
	yield* deleteExpiredSessions(context);
	const token = createSessionToken(random);
	const createdAt = clock();
	yield* insertSession(store).run({
		tokenHash: sha256(token),
		agentId,
		createdAt,
		expiresAt: createdAt + SESSION_MS,
		sealedKey: seal === null ? null : seal(token),
	});
	return token;
}

/** Ends a session; does nothing if no session has this token. */
export function endSession(store: Store, token: string): Promise<void> {
	return store.write(function* () {
		const ended = yield* deleteSession(store).get({ tokenHash: sha256(token) });
		if (ended !== undefined) {
			yield* publishInternal(store, "credential.ended", ended.agentId);
		}
	});
}

/** Deletes the expired sessions with their sealed keys, inside a change. */
export function* deleteExpiredSessions({
	store,
	clock,
}: ServiceContext): Task<void> {
	const expired = yield* deleteExpired(store).all({ nowMs: clock() });
	for (const agentId of new Set(expired.map((session) => session.agentId))) {
		yield* publishInternal(store, "credential.ended", agentId);
	}
}
