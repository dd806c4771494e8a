import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { inSlice, pageOf } from "../../store/page.ts";
import { query } from "../../store/query.ts";
import { activityLog } from "../../store/tables.ts";

/** What an agent has completed in all its stays, newest first. */
export const logOfAgent = {
	keys: query({ seq: activityLog.seq }, (builder) =>
		pageOf(
			builder,
			activityLog,
			eq(activityLog.agentId, sql.placeholder("agentId")),
			[desc(activityLog.startedAt), desc(activityLog.seq)],
		),
	),
	rows: query(getTableColumns(activityLog), (builder, fields) =>
		builder.select(fields).from(activityLog).where(inSlice(activityLog.seq)),
	),
};
