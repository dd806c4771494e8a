import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { question } from "../../store/question.ts";
import { activityLog } from "../../store/tables.ts";

/** What an agent has completed in all its stays, newest first. */
export const logOfAgent = question(
	getTableColumns(activityLog),
	(builder, fields) =>
		builder
			.select(fields)
			.from(activityLog)
			.where(eq(activityLog.agentId, sql.placeholder("agentId")))
			.orderBy(desc(activityLog.startedAt), desc(activityLog.seq))
			.limit(sql.placeholder("limit"))
			.offset(sql.placeholder("offset")),
);
