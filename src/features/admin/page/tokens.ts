/** The one-time codes, sessions and confirmations of the host's page. Only their hashes are stored. */
import { HOUR_MS, MINUTE_MS } from "../../../core/lib/clock.ts";
import { sha256 } from "../../../core/lib/credential.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { Task } from "../../../core/store/task.ts";
import { tokens } from "../queries.ts";

/** How long a token of each kind is valid. */
export const lifetimes = {
	code: 10 * MINUTE_MS,
	session: 8 * HOUR_MS,
	confirmation: 10 * MINUTE_MS,
} as const;

/** A kind of token, and what the token is for, such as the change that it confirms. */
interface Purpose {
	readonly kind: keyof typeof lifetimes;
	readonly subject?: string;
}

type Parts = Pick<ServiceContext, "store" | "clock" | "random">;

const TOKEN_BYTES = 32;

/** Creates a token, and deletes expired ones. Call it inside a transaction. */
export function* createToken({ store, clock, random }: Parts, purpose: Purpose): Task<string> {
	const token = random.bytes(TOKEN_BYTES).toHex();
	const now = clock();
	yield* tokens.deleteExpired(store).run({ now });
	yield* tokens.insert(store).run({ hash: hashOf(purpose, token), expiresAt: now + lifetimes[purpose.kind] });
	return token;
}

/** Whether a token is valid. */
export function* isTokenValid({ store, clock }: Parts, purpose: Purpose, token: string): Task<boolean> {
	return (yield* tokens.valid(store).get({ hash: hashOf(purpose, token), now: clock() })) !== undefined;
}

/**
 * Uses a token up. Call it inside a transaction.
 * @returns whether the token was valid
 */
export function* useToken({ store, clock }: Parts, purpose: Purpose, token: string): Task<boolean> {
	return (yield* tokens.take(store).get({ hash: hashOf(purpose, token), now: clock() })) !== undefined;
}

/** Deletes all tokens: ends all sessions, and invalidates all codes. Call it inside a transaction. */
export function* endAllSessions({ store }: Parts): Task<void> {
	yield* tokens.deleteAll(store).run({});
}

function hashOf({ kind, subject = "" }: Purpose, token: string): Uint8Array {
	return sha256(JSON.stringify([kind, subject, token]));
}
