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
	recordCompletion,
} from "../stays/record-completion.ts";
import { requireOpenStay } from "../stays/service.ts";
import type { ActivityInfo, ActivityLogInfo } from "./model.ts";

/** The activities by id, with their public and their recorded fields. */
const offers = once(
	() =>
		new Map(
			activities.map(({ reflections, ...shown }) => {
				const activityId = shown.id;
				const recorded: Completed = {
					...shown,
					activityId,
					experienceId: null,
				};
				return [activityId, { shown, recorded, reflections }];
			}),
		),
);

/** All activities in the order of the catalogue. */
export const catalogue = once((): ActivityInfo[] =>
	[...offers().values()].map(({ shown }) => shown),
);

/**
 * Does an activity without waiting for its suggested duration.
 * @throws ResortError `not_found` for an unknown activity, `invalid` if the agent is not checked in
 */
export async function doActivity(
	context: ServiceContext,
	agentId: string,
	activityId: string,
	body: DoBody,
) {
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

/** Returns a completion as its agent sees it. */
export function toLogInfo(
	row: typeof activityLog.$inferSelect,
): ActivityLogInfo {
	return { ...row, startedAt: toTimestamp(row.startedAt) };
}
