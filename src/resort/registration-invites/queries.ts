import {
	and,
	desc,
	eq,
	getTableColumns,
	gt,
	lt,
	lte,
	or,
	sql,
} from "drizzle-orm";
import {
	deleteFrom,
	insertInto,
	selectFrom,
	updateIn,
} from "../../store/table-queries.ts";
import { invites } from "../../store/tables.ts";

const byCode = eq(invites.codeHash, sql.placeholder("codeHash"));
const nowMs = sql.placeholder("nowMs");

/** Inserts an invitation. */
export const insertInvite = insertInto(invites);

/** Uses an invitation once; returns no row if it is unknown, expired or used up. */
export const takeInvite = updateIn(
	invites,
	{ used: sql`${invites.used} + 1` },
	and(byCode, gt(invites.expiresAt, nowMs), lt(invites.used, invites.uses)),
	{ label: invites.label },
);

/** The invitations, newest first. */
export const allInvites = selectFrom(
	invites,
	getTableColumns(invites),
	undefined,
	{ orderBy: [desc(invites.createdAt), invites.label] },
);

/** Returns the invitation with a code, or those with a label, which is the first word of their code. */
export const invitesNamed = selectFrom(
	invites,
	getTableColumns(invites),
	or(byCode, eq(invites.label, sql.placeholder("label"))),
	{ locks: true },
);

/** Ends an invitation by its code. */
export const deleteInvite = deleteFrom(invites, byCode);

/** Deletes the invitations that ended before a time. */
export const deleteEndedInvites = deleteFrom(
	invites,
	lte(invites.expiresAt, sql.placeholder("before")),
);
