import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { builder } from "../../store/query.ts";
import { agents, stays } from "../../store/tables.ts";

/**
 * The SQL of the questions that a status asks, each with one parameter: the agent's id, or the stay's `seq`.
 * A Bun macro: it runs when the program is built, so that a status is answered before Drizzle is loaded.
 */
export function statusSql(): Record<
	"activeAgent" | "stayBySeq" | "openStay" | "newestStay",
	string
> {
	const id = sql.placeholder("id");
	const ofAgent = eq(stays.agentId, id);
	const shown = Object.fromEntries(
		Object.entries({
			roomType: stays.roomType,
			roomNumber: stays.roomNumber,
			checkedInAt: stays.checkedInAt,
			checkedOutAt: stays.checkedOutAt,
			relaxationPoints: stays.relaxationPoints,
			activityName: stays.activityName,
			activityStartedAt: stays.activityStartedAt,
			activityEndsAt: stays.activityEndsAt,
		}).map(([name, column]) => [name, sql`${column}`.as(name)]),
	);
	return {
		activeAgent: builder
			.select({
				name: agents.name,
				newestStay: sql`${agents.newestStay}`.as("newestStay"),
			})
			.from(agents)
			.where(and(eq(agents.id, id), isNull(agents.deactivatedAt)))
			.toSQL().sql,
		stayBySeq: builder
			.select(shown)
			.from(stays)
			.where(eq(stays.seq, sql.placeholder("seq")))
			.toSQL().sql,
		openStay: builder
			.select(shown)
			.from(stays)
			.where(and(ofAgent, isNull(stays.checkedOutAt)))
			.toSQL().sql,
		// Only its first row is read.
		newestStay: builder
			.select(shown)
			.from(stays)
			.where(ofAgent)
			.orderBy(desc(stays.checkedInAt), desc(stays.seq))
			.toSQL().sql,
	};
}
