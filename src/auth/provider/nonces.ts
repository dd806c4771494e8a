import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { MINUTE_MS } from "../../lib/clock.ts";
import { type Builder, placeholders, query } from "../../store/query.ts";
import type { Store } from "../../store/store.ts";
import { nonces } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";

/**
 * The name of the row whose `expiresAt` is the horizon: every nonce that expired by then may have been deleted.
 * No signature has an empty nonce.
 */
const HORIZON = "";

/** How long a used nonce is kept after it has expired: a clock set back by less refuses no good signature. */
const GRACE_MS = MINUTE_MS;

/** After so many uses, up to twice as many expired nonces are deleted: the table cannot outgrow the calls. */
const USES_PER_CLEANUP = 64;
const MAX_DELETED = 2 * USES_PER_CLEANUP;

/** The bare name: not every engine takes it with its table's. */
const byNonce = sql.raw('"nonce"');

/** A nonce whose signature has expired may come again in a new one. */
const takeNonce = query({ nonce: nonces.nonce }, (builder, fields) =>
	builder
		.insert(nonces)
		.values(placeholders("nonce", "expiresAt"))
		.onConflictDoUpdate({
			target: byNonce,
			set: { expiresAt: sql`excluded.expires_at` },
			setWhere: lt(nonces.expiresAt, sql.placeholder("nowMs")),
		})
		.returning(fields),
);

const horizonRow = query({ expiresAt: nonces.expiresAt }, (builder, fields) =>
	builder
		.select(fields)
		.from(nonces)
		.where(eq(nonces.nonce, sql.placeholder("horizon"))),
);

const moveHorizon = query({}, (builder) =>
	builder
		.insert(nonces)
		.values({
			nonce: sql.placeholder("horizon"),
			expiresAt: sql.placeholder("expiresAt"),
		})
		.onConflictDoUpdate({
			target: byNonce,
			set: { expiresAt: sql`excluded.expires_at` },
			setWhere: sql`${nonces.expiresAt} < excluded.expires_at`,
		}),
);

/** The nonces that are deleted next: those that expired first. */
function oldest(builder: Builder) {
	return builder
		.select({ nonce: nonces.nonce, expiresAt: nonces.expiresAt })
		.from(nonces)
		.where(
			and(
				lt(nonces.expiresAt, sql.placeholder("beforeMs")),
				ne(nonces.nonce, sql.placeholder("horizon")),
			),
		)
		.orderBy(asc(nonces.expiresAt))
		.limit(sql.placeholder("limit"))
		.as("oldest");
}

const lastOfOldest = query(
	{ expiresAt: sql<number | null>`max("expires_at")` },
	(builder, fields) => builder.select(fields).from(oldest(builder)),
);

const deleteOldest = query({}, (builder) => {
	const rows = oldest(builder);
	return builder
		.delete(nonces)
		.where(
			inArray(nonces.nonce, builder.select({ nonce: rows.nonce }).from(rows)),
		);
});

/**
 * Uses up the nonces of signatures, each once, in the database: a used one stays used after a restart, and when
 * the clock is set back. What was deleted is known by its time: no nonce that expires by the horizon is accepted.
 */
export class Nonces {
	#uses = 0;

	/**
	 * Uses a nonce up, inside a change.
	 * @param nonce not empty
	 * @param untilMs the last moment at which its signature is valid, in milliseconds since the epoch
	 * @param nowMs the present moment
	 * @returns whether no valid signature had used it
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
		return (yield* takeNonce(store).get(values)) !== undefined;
	}
}

/** Deletes the nonces that expired first, and notes until when they did. */
function* cleanUp(store: Store, nowMs: number): Task<void> {
	const which = {
		beforeMs: nowMs - GRACE_MS,
		horizon: HORIZON,
		limit: MAX_DELETED,
	};
	// What one clean-up counts must not be deleted by another one before the horizon is there.
	yield* store.lock("nonces");
	const last = yield* lastOfOldest(store).get(which);
	const expiresAt = last?.expiresAt ?? null;
	if (expiresAt === null) return;
	yield* moveHorizon(store).run({ horizon: HORIZON, expiresAt });
	yield* deleteOldest(store).run(which);
}
