import { activities } from "../../content/activities.ts";
import { toTimestamp } from "../../lib/clock.ts";
import { once } from "../../lib/once.ts";
import { pickOne } from "../../lib/random.ts";
import { ResortError } from "../../lib/resort-error.ts";
import type { activityLog } from "../../store/tables.ts";
import { writeAs } from "../agents/authenticated-agent.ts";
import type { ServiceContext } from "../service-context.ts";
import type { DoBody } from "../stays/model.ts";
import {
	type Completed,
	type Recorded,
	recordCompletion,
} from "../stays/record-completion.ts";
import { requireOpenStay } from "../stays/service.ts";
import type { ActivityInfo, ActivityLogInfo } from "./model.ts";

/** A row of the activity log. */
type LogRow = typeof activityLog.$inferSelect;

/** The activities by id, with their public and their recorded fields. */
const offers = once(
	() =>
		new Map(
			activities.map(({ reflections, ...shown }) => {
				const { id: activityId, name, category } = shown;
				const { durationMinutes, relaxationPoints } = shown;
				const recorded: Completed = {
					activityId,
					experienceId: null,
					name,
					category,
					durationMinutes,
					relaxationPoints,
				};
				return [activityId, { shown, recorded, reflections }];
			}),
		),
);

/** All activities in the order of the catalogue. */
export const catalogue = once((): ActivityInfo[] =>
	[...offers().values()].map(({ shown }) => shown),
);

/** The result of doing an activity. */
export interface Completion extends Recorded {
	readonly activity: ActivityInfo;
	readonly reflection: string;
}

/**
 * Does an activity without waiting for its suggested duration.
 * @throws ResortError `not_found` for an unknown activity, `invalid` if the agent is not checked in
 */
export async function doActivity(
	context: ServiceContext,
	agentId: string,
	activityId: string,
	body: DoBody,
): Promise<Completion> {
	const offer = offers().get(activityId);
	if (offer === undefined) {
		throw new ResortError("not_found", "Activity not found", {
			hint: "Call GET /api/activities?view=brief for the ids.",
		});
	}
	return writeAs(context, agentId, function* () {
		const stay = yield* requireOpenStay(context, agentId);
		return {
			activity: offer.shown,
			...(yield* recordCompletion(context, stay, offer.recorded, body)),
			reflection: pickOne(context.random, offer.reflections),
		};
	});
}

/** Returns the fields of a completion that its agent sees. */
export function toLogInfo(row: LogRow): ActivityLogInfo {
	return {
		id: row.id,
		stayId: row.stayId,
		activityId: row.activityId,
		experienceId: row.experienceId,
		activityName: row.activityName,
		activityCategory: row.activityCategory,
		startedAt: toTimestamp(row.startedAt),
		notes: row.notes,
		relaxationPoints: row.relaxationPoints,
	};
}
