import { MINUTE_MS } from "../../core/lib/clock.ts";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { deleteOldestNonces, horizonRow, insertOrRenew } from "./queries.ts";

/**
 * The nonce of the row with the horizon in `expiresAt`: nonces that expired at that time or earlier may have
 * been deleted. No signature has an empty nonce.
 */
const HORIZON = "";

/** How long an expired nonce is kept, in case the clock is set back by less than this time. */
const GRACE_MS = MINUTE_MS;

/** The number of uses between two clean-ups, and the maximum number of nonces that a clean-up deletes. */
const USES_PER_CLEANUP = 64;
const MAX_DELETED = 2 * USES_PER_CLEANUP;

/**
 * Accepts the nonce of each signature once, even after a restart or after the clock was set back: refuses
 * nonces that expire at the {@link HORIZON} or earlier, because they may have been used and deleted.
 */
export class Nonces {
	#uses = 0;

	/**
	 * Marks a nonce, which is not empty, as used. Call it inside a transaction.
	 * @param untilMs the last moment at which the signature with this nonce is valid
	 * @returns false if the nonce has been used before, or may have been used before
	 */
	*use(store: Store, nonce: string, untilMs: number, nowMs: number): Task<boolean> {
		if (this.#uses++ % USES_PER_CLEANUP === 0) yield* cleanUp(store, nowMs);
		const horizon = yield* horizonRow(store).get({ horizon: HORIZON });
		if (horizon !== undefined && untilMs <= horizon.expiresAt) return false;
		const values = { nonce, expiresAt: untilMs, nowMs };
		return (yield* insertOrRenew(store).get(values)) !== undefined;
	}
}

/** Deletes the oldest expired nonces, and sets the {@link HORIZON} to their latest expiry time. */
function* cleanUp(store: Store, nowMs: number): Task<void> {
	// Allows only one clean-up at a time, because two could deadlock on each other's rows.
	yield* store.lock("nonces");
	const deleted = yield* deleteOldestNonces(store).all({
		beforeMs: nowMs - GRACE_MS,
		horizon: HORIZON,
		limit: MAX_DELETED,
	});
	if (deleted.length === 0) return;
	const expiresAt = Math.max(...deleted.map((row) => row.expiresAt));
	const values = { nonce: HORIZON, expiresAt, nowMs: expiresAt };
	yield* insertOrRenew(store).get(values);
}
