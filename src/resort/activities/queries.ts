import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { inSlice, pageOf } from "../../store/page.ts";
import { question } from "../../store/question.ts";
import { activityLog } from "../../store/tables.ts";

/** What an agent has completed in all its stays, newest first. */
export const logOfAgent = {
	keys: question({ seq: activityLog.seq }, (builder) =>
		pageOf(
			builder,
			activityLog,
			eq(activityLog.agentId, sql.placeholder("agentId")),
			[desc(activityLog.startedAt), desc(activityLog.seq)],
		),
	),
	rows: question(getTableColumns(activityLog), (builder, fields) =>
		builder.select(fields).from(activityLog).where(inSlice(activityLog.seq)),
	),
};
