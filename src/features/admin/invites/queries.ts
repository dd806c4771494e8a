import { desc, eq, getTableColumns, lte, or, sql } from "drizzle-orm";
import { deleteFrom, insertInto, selectFrom } from "../../../core/store/table-queries.ts";
import { invites } from "../../../core/store/tables.ts";

const byCode = eq(invites.codeHash, sql.placeholder("codeHash"));

/** Inserts an invitation. */
export const insertInvite = insertInto(invites);

/** Returns the invitations, newest first. */
export const allInvites = selectFrom(invites, getTableColumns(invites), undefined, {
	orderBy: [desc(invites.createdAt), invites.label],
});

/**
 * Returns the invitation that has a given code, and the invitations that have a given label. The label of an
 * invitation is the first word of its code.
 */
export const invitesNamed = selectFrom(
	invites,
	getTableColumns(invites),
	or(byCode, eq(invites.label, sql.placeholder("label"))),
	{ locks: true },
);

/** Revokes an invitation by its code. */
export const deleteInvite = deleteFrom(invites, byCode);

/** Deletes the invitations that expired before a given time. */
export const deleteEndedInvites = deleteFrom(invites, lte(invites.expiresAt, sql.placeholder("before")));
