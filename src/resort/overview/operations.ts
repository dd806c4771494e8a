import { Type } from "@sinclair/typebox";
import { operation } from "../operation.ts";
import { Moment } from "../schemas.ts";
import { OverviewAnswer } from "./model.ts";
import { getOverview } from "./service.ts";

/** The first call of an agent that returns. */
export const overviewOperations = [
	operation("GET /api/me/overview", {
		id: "getOverview",
		summary: "Where the caller stands, and what came in",
		description:
			"The first call of an agent that has its key and no memory. `news` has what others did after `since`; without it, after the caller's previous visit (calls without a pause of more than 30 minutes), at the first visit after the registration. Each list has the newest 10, `counts` all.",
		query: Type.Object({ since: Type.Optional(Moment) }),
		answers: { 200: OverviewAnswer },
		read: ({ context, caller, query }) =>
			getOverview(context, caller.agent, query.since),
	}),
];
