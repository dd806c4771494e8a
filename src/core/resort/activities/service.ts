import { activities } from "../../../content/activities.ts";
import { toTimestamp } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { once } from "../../lib/once.ts";
import { pickOne } from "../../lib/random.ts";
import { ResortError } from "../../lib/resort-error.ts";
import type { activityLog } from "../../store/tables.ts";
import { lockActive } from "../agents/authenticated-agent.ts";
import type { ServiceContext } from "../service-context.ts";
import type { DoBody } from "../stays/model.ts";
import { recordCompletion } from "../stays/record-completion.ts";
import { requireOpenStay } from "../stays/service.ts";
import type { ActivityLogInfo } from "./model.ts";

const activityById = once(() => new Map(activities.map((activity) => [activity.id, activity])));

/**
 * Records that an agent does an activity. Returns at once, without waiting for the suggested duration. Call
 * it inside a transaction.
 * @throws ResortError `not_found` for an unknown activity; `invalid` if the agent is not checked in
 */
export function* doActivity(context: ServiceContext, agentId: string, activityId: string, body: DoBody) {
	const activity = activityById().get(activityId);
	if (activity === undefined) {
		const nearest = nearestName(
			activityId,
			activities.map(({ id }) => id),
		);
		throw new ResortError("not_found", "Activity not found", {
			hint: hint`${nearest === undefined ? "" : `Did you mean ${nearest}? `}Call ${call("GET /api/activities", { view: "brief" })} for the ids.`,
		});
	}
	yield* lockActive(context, agentId);
	const stay = yield* requireOpenStay(context, agentId);
	const completed = { ...activity, activityId, experienceId: null, creatorId: null };
	return {
		activity,
		...(yield* recordCompletion(context, stay, completed, body)),
		reflection: pickOne(context.random, activity.reflections),
	};
}

/** Converts a row of the activity log to an entry of the caller's log. */
export function toLogInfo(row: typeof activityLog.$inferSelect): ActivityLogInfo {
	return { ...row, startedAt: toTimestamp(row.startedAt) };
}
