import { and, eq, gt, lt, sql } from "drizzle-orm";
import { updateIn } from "../../store/table-queries.ts";
import { invites } from "../../store/tables.ts";

/** Counts one use of an invitation. Returns no row if the invitation is unknown, expired or used up. */
export const takeInvite = updateIn(
	invites,
	{ used: sql`${invites.used} + 1` },
	and(
		eq(invites.codeHash, sql.placeholder("codeHash")),
		gt(invites.expiresAt, sql.placeholder("nowMs")),
		lt(invites.used, invites.uses),
	),
	{ label: invites.label },
);
