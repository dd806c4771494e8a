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
import { placeholders, query } from "../../store/query.ts";
import { invites } from "../../store/tables.ts";

const byCode = eq(invites.codeHash, sql.placeholder("codeHash"));
const nowMs = sql.placeholder("nowMs");

/** Inserts an invitation. */
export const insertInvite = query({}, (builder) =>
	builder
		.insert(invites)
		.values(
			placeholders(
				"codeHash",
				"label",
				"createdAt",
				"expiresAt",
				"uses",
				"used",
			),
		),
);

/** Uses an invitation once; returns no row if it is unknown, expired or used up. */
export const takeInvite = query({ label: invites.label }, (builder, fields) =>
	builder
		.update(invites)
		.set({ used: sql`${invites.used} + 1` })
		.where(
			and(byCode, gt(invites.expiresAt, nowMs), lt(invites.used, invites.uses)),
		)
		.returning(fields),
);

/** The invitations, newest first. */
export const allInvites = query(getTableColumns(invites), (builder, fields) =>
	builder
		.select(fields)
		.from(invites)
		.orderBy(desc(invites.createdAt), invites.label),
);

/** Returns the invitations with a code, or whose codes begin with a word. */
export const invitesNamed = query(
	getTableColumns(invites),
	(builder, fields) =>
		builder
			.select(fields)
			.from(invites)
			.where(or(byCode, eq(invites.label, sql.placeholder("label")))),
	true,
);

/** Ends an invitation by its code. */
export const deleteInvite = query({}, (builder) =>
	builder.delete(invites).where(byCode),
);

/** Deletes the invitations that ended before a time. */
export const deleteEndedInvites = query({}, (builder) =>
	builder
		.delete(invites)
		.where(lte(invites.expiresAt, sql.placeholder("before"))),
);
