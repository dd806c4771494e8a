import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { MINUTE_MS } from "../../core/lib/clock.ts";
import { builder, query } from "../../core/store/query.ts";
import type { Store } from "../../core/store/store.ts";
import { deleteFrom, newRow, selectFrom } from "../../core/store/table-queries.ts";
import type { Task } from "../../core/store/task.ts";
import { nonces } from "./tables.ts";

/**
 * The nonce of a row whose `expiresAt` is the horizon: nonces that expired then or earlier may have been
 * deleted. No signature has an empty nonce.
 */
const HORIZON = "";

/** How long an expired nonce is kept, in case the clock is set back by less than this. */
const GRACE_MS = MINUTE_MS;

/** The number of uses between two clean-ups, each of which deletes up to twice as many nonces. */
const USES_PER_CLEANUP = 64;
const MAX_DELETED = 2 * USES_PER_CLEANUP;

/** Inserts a nonce, or replaces the `expiresAt` of one that expired before `nowMs`; else returns no row. */
const insertOrRenew = query({ nonce: nonces.nonce }, (builder, fields) =>
	builder
		.insert(nonces)
		.values(newRow(nonces))
		.onConflictDoUpdate({
			// Without the name of the table, because some engines do not accept it in `ON CONFLICT`.
			target: sql.raw('"nonce"'),
			set: { expiresAt: sql`excluded.expires_at` },
			setWhere: lt(nonces.expiresAt, sql.placeholder("nowMs")),
		})
		.returning(fields),
);

const horizonRow = selectFrom(
	nonces,
	{ expiresAt: nonces.expiresAt },
	eq(nonces.nonce, sql.placeholder("horizon")),
);

/** Deletes up to `limit` nonces that expired before `beforeMs`, oldest first; never the horizon. */
const deleteOldest = deleteFrom(
	nonces,
	inArray(
		nonces.nonce,
		builder
			.select({ nonce: nonces.nonce })
			.from(nonces)
			.where(
				and(lt(nonces.expiresAt, sql.placeholder("beforeMs")), ne(nonces.nonce, sql.placeholder("horizon"))),
			)
			.orderBy(asc(nonces.expiresAt))
			.limit(sql.placeholder("limit")),
	),
	{ expiresAt: nonces.expiresAt },
);

/**
 * Accepts the nonce of each signature once. A nonce that may have been deleted is refused, because it expires
 * at the horizon or earlier: also after a restart or after the clock was set back.
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

/** Deletes the oldest expired nonces, and sets the horizon to the newest expiry time of these. */
function* cleanUp(store: Store, nowMs: number): Task<void> {
	// Allows only one clean-up at a time, because two could deadlock on each other's rows.
	yield* store.lock("nonces");
	const deleted = yield* deleteOldest(store).all({
		beforeMs: nowMs - GRACE_MS,
		horizon: HORIZON,
		limit: MAX_DELETED,
	});
	if (deleted.length === 0) return;
	const expiresAt = Math.max(...deleted.map((row) => row.expiresAt));
	const values = { nonce: HORIZON, expiresAt, nowMs: expiresAt };
	yield* insertOrRenew(store).get(values);
}
