import { eq, getTableColumns, sql } from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import { activityLog } from "../../store/tables.ts";

/** The completions of an agent in all its stays, newest first. */
export const logOfAgent = listQueries(getTableColumns(activityLog), {
	table: activityLog,
	where: eq(activityLog.agentId, sql.placeholder("agentId")),
	order: [
		[activityLog.startedAt, "desc"],
		[activityLog.seq, "desc"],
	],
});
