import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import { builder } from "../../store/query.ts";
import { deleteFrom, insertInto, selectFrom } from "../../store/table-queries.ts";
import { idempotencyKeys } from "../../store/tables.ts";

const nowMs = sql.placeholder("nowMs");
const isKey = eq(idempotencyKeys.keyHash, sql.placeholder("keyHash"));
const isOfScope = eq(idempotencyKeys.scope, sql.placeholder("scope"));

/** Returns the encrypted answer stored for an idempotency key, unless the answer has expired. */
export const answerOfKey = selectFrom(
	idempotencyKeys,
	{ sealedAnswer: sql<Uint8Array>`${idempotencyKeys.sealedAnswer}` },
	and(isKey, gt(idempotencyKeys.expiresAt, nowMs)),
);

/** Inserts the encrypted answer for an idempotency key that has no answer yet. */
export const insertAnswer = insertInto(idempotencyKeys);

/** Deletes an idempotency key and its answer. */
export const deleteKeyed = deleteFrom(idempotencyKeys, isKey);

/** Deletes all keys of a scope (an agent or a client network) except the `most` newest ones. */
export const deleteBeyond = deleteFrom(
	idempotencyKeys,
	and(
		isOfScope,
		lte(
			idempotencyKeys.seq,
			sql`(${builder
				.select({ seq: idempotencyKeys.seq })
				.from(idempotencyKeys)
				.where(isOfScope)
				.orderBy(desc(idempotencyKeys.seq))
				.limit(1)
				.offset(sql.placeholder("most"))})`,
		),
	),
);

/** Deletes the expired idempotency keys and their answers. */
export const deleteExpiredKeys = deleteFrom(idempotencyKeys, lte(idempotencyKeys.expiresAt, nowMs));
