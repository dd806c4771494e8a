import { DAY_MS, MINUTE_MS, toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
import type { Task } from "../../store/task.ts";
import type { Caller } from "../agents/authenticated-agent.ts";
import { publishInternal } from "../events/publish.ts";
import type { ServiceContext } from "../service-context.ts";
import type { SessionInfo } from "./model.ts";
import { deleteExpired, insertSession, type OpenSession, setLastUsed } from "./queries.ts";

/** The name of the session cookie. `__Host-` restricts it to one host and to https (RFC 6265bis, 4.1.3.2). */
export const SESSION_COOKIE = "__Host-resort_session";

/**
 * The lifetime of a session. Together with the rate limit `create-session`, it bounds the number of sessions.
 */
export const SESSION_MS = 7 * DAY_MS;

const TOKEN_BYTES = 32;

/** The length of a session's id, which consists of the first digits of the token's hash. */
const ID_DIGITS = 16;

/** The minimum interval between two updates of a session's last use. */
const USE_MS = 5 * MINUTE_MS;

/**
 * Creates a session, and deletes expired sessions. Call it inside a transaction.
 * @param seal returns the encrypted key of the identity provider; null for a key of this resort
 * @returns the token, of which only the hash is stored
 */
export function* beginSession(
	context: ServiceContext,
	agentId: string,
	seal: (token: string) => Task<Uint8Array | null>,
): Task<string> {
	const { store, clock, random } = context;
	yield* deleteExpiredSessions(context);
	const token = random.bytes(TOKEN_BYTES).toHex();
	const createdAt = clock();
	yield* insertSession(store).run({
		tokenHash: sha256(token),
		agentId,
		createdAt,
		lastUsedAt: createdAt,
		expiresAt: createdAt + SESSION_MS,
		sealedKey: yield* seal(token),
	});
	return token;
}

/**
 * Updates the time of a cached session's last use, at most once per {@link USE_MS}. Writes in a later turn of
 * the event loop, so that the call does not wait. If the database fails, the next call tries again.
 * @param tokenHash the hash of the token in hexadecimal
 */
export function noteUse(
	{ store, clock }: ServiceContext,
	tokenHash: string,
	session: { lastUsedAt: number | null },
): void {
	const nowMs = clock();
	const { lastUsedAt } = session;
	if (lastUsedAt !== null && Math.abs(nowMs - lastUsedAt) < USE_MS) return;
	session.lastUsedAt = nowMs;
	const use = { tokenHash: Uint8Array.fromHex(tokenHash), lastUsedAt: nowMs };
	setImmediate(() => {
		store
			.writeUnsynced(() => setLastUsed(store).run(use))
			.catch(() => {
				session.lastUsedAt = lastUsedAt;
			});
	});
}

/** Converts a session to the form in which the API shows it to the agent. */
export function toSessionInfo(
	{ tokenHash, createdAt, lastUsedAt, expiresAt }: OpenSession,
	{ clock }: ServiceContext,
	{ credential }: Caller,
): SessionInfo {
	const hash = tokenHash.toHex();
	const isCurrent = hash === sha256(tokenOf(credential)).toHex();
	return {
		id: hash.slice(0, ID_DIGITS),
		createdAt: toTimestamp(createdAt),
		// For the session of this call, the stored time is outdated, because {@link noteUse} writes later.
		lastUsedAt: toTimestampOrNull(isCurrent ? clock() : lastUsedAt),
		expiresAt: toTimestamp(expiresAt),
		isCurrent,
	};
}

/** Returns the token of a call's session; an empty string if the call has another kind of credential. */
export function tokenOf(credential: Caller["credential"]): string {
	return credential.kind === "session" ? credential.token : "";
}

/** Deletes the expired sessions and the encrypted keys that they contain. Call it inside a transaction. */
export function* deleteExpiredSessions({ store, clock }: ServiceContext): Task<void> {
	const expired = yield* deleteExpired(store).all({ nowMs: clock() });
	for (const agentId of new Set(expired.map((session) => session.agentId))) {
		yield* publishInternal(store, "credential.ended", agentId);
	}
}
