import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { builder } from "../../core/store/query.ts";
import { deleteFrom, insertInto, selectFrom, upsertIn } from "../../core/store/table-queries.ts";
import { identities } from "../../core/store/tables.ts";
import { nonces } from "./tables.ts";

/** Returns the agent of an identity at the provider. */
export const agentOfIdentity = selectFrom(
	identities,
	{ agentId: identities.agentId },
	and(eq(identities.issuer, sql.placeholder("issuer")), eq(identities.subject, sql.placeholder("subject"))),
);

/** Links an agent to its identity at the provider. */
export const insertIdentity = insertInto(identities);

const { nonce, expiresAt } = nonces;
const horizon = sql.placeholder("horizon");

/** Inserts a nonce, or renews it if it expired before `nowMs`. Returns no row if it has not expired. */
export const insertOrRenew = upsertIn(nonces, "nonce", {
	set: { expiresAt: sql`excluded.expires_at` },
	fields: { nonce },
	where: lt(expiresAt, sql.placeholder("nowMs")),
});

/** Selects the horizon: nonces that expired at this time or earlier may have been deleted. */
export const horizonRow = selectFrom(nonces, { expiresAt }, eq(nonce, horizon));

/** Deletes up to `limit` nonces that expired before `beforeMs`, oldest first, but not the horizon's row. */
export const deleteOldestNonces = deleteFrom(
	nonces,
	inArray(
		nonce,
		builder
			.select({ nonce })
			.from(nonces)
			.where(and(lt(expiresAt, sql.placeholder("beforeMs")), ne(nonce, horizon)))
			.orderBy(asc(expiresAt))
			.limit(sql.placeholder("limit")),
	),
	{ expiresAt },
);
