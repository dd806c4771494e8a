import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { MINUTE_MS } from "../../lib/clock.ts";
import { builder, query } from "../../store/query.ts";
import type { Store } from "../../store/store.ts";
import { deleteFrom, newRow, selectFrom } from "../../store/table-queries.ts";
import { nonces } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";

/**
 * The name of the row that holds the horizon in `expiresAt`: every nonce that expired by then may have been deleted.
 * No signature has an empty nonce.
 */
const HORIZON = "";

/** How long a used nonce is kept after it has expired: a clock set back by less refuses no valid signature. */
const GRACE_MS = MINUTE_MS;

/** Each clean-up deletes up to twice as many nonces as were added since the last one, so that the table stays bounded. */
const USES_PER_CLEANUP = 64;
const MAX_DELETED = 2 * USES_PER_CLEANUP;

/** The bare name: not every engine accepts it with the table's. */
const byNonce = sql.raw('"nonce"');

/** Inserts a row, or renews it if it expires before `nowMs`; else returns no row. */
const insertOrRenew = query({ nonce: nonces.nonce }, (builder, fields) =>
	builder
		.insert(nonces)
		.values(newRow(nonces))
		.onConflictDoUpdate({
			target: byNonce,
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

/** Deletes the nonces that expired first. */
const deleteOldest = deleteFrom(
	nonces,
	inArray(
		nonces.nonce,
		builder
			.select({ nonce: nonces.nonce })
			.from(nonces)
			.where(
				and(
					lt(nonces.expiresAt, sql.placeholder("beforeMs")),
					ne(nonces.nonce, sql.placeholder("horizon")),
				),
			)
			.orderBy(asc(nonces.expiresAt))
			.limit(sql.placeholder("limit")),
	),
	{ expiresAt: nonces.expiresAt },
);

/**
 * Accepts the nonce of each signature once. Used nonces are in the database, so that they stay used after a restart and
 * when the clock is set back: no nonce that expires by the horizon of deleted ones is accepted.
 */
export class Nonces {
	#uses = 0;

	/**
	 * Uses a nonce, inside a change.
	 * @param nonce not empty
	 * @param untilMs the last moment at which its signature is valid, in milliseconds since the epoch
	 * @returns whether no valid signature has used it before
	 */
	*use(
		store: Store,
		nonce: string,
		untilMs: number,
		nowMs: number,
	): Task<boolean> {
		if (this.#uses++ % USES_PER_CLEANUP === 0) yield* cleanUp(store, nowMs);
		const horizon = yield* horizonRow(store).get({ horizon: HORIZON });
		if (horizon !== undefined && untilMs <= horizon.expiresAt) return false;
		const values = { nonce, expiresAt: untilMs, nowMs };
		return (yield* insertOrRenew(store).get(values)) !== undefined;
	}
}

/** Deletes the nonces that expired first, and moves the horizon to the last of them. */
function* cleanUp(store: Store, nowMs: number): Task<void> {
	// Clean-ups of two instances could deadlock on each other's rows.
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
