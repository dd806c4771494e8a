import { MINUTE_MS } from "../../../core/lib/clock.ts";
import type { ExperienceRow } from "../../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import type { LobbyGuest } from "../../../core/resort/presence/model.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import { changesAt, isOpen, type Timed } from "../../../core/resort/stays/service.ts";
import type { Task } from "../../../core/store/task.ts";
import { completionsSince } from "../queries.ts";

/** How many of the newest completions are examined. */
const EXAMINED = 50;

/**
 * Lists the guests who are doing an experience now; those who began last come first. Examines only the newest
 * 50 completions of the experience.
 */
export function* listCurrentGuests(
	context: ServiceContext,
	{ id, durationMinutes }: Pick<ExperienceRow, "id" | "durationMinutes">,
): Task<Timed<Pick<LobbyGuest, "id" | "name">[]>> {
	const nowMs = context.clock();
	const completions = yield* firstOf(context.store, completionsSince, {
		values: { experienceId: id, since: nowMs - durationMinutes * MINUTE_MS },
		limit: EXAMINED,
	});
	const current = completions.filter(
		(stay) =>
			isOpen(context, stay) &&
			stay.agentGoneAt === null &&
			// Excludes completions that are not the newest of their stay, because a later completion replaces the
			// current activity.
			stay.activityStartedAt === stay.startedAt &&
			stay.activityName === stay.name &&
			(stay.activityEndsAt ?? 0) > nowMs,
	);
	const names = new Map(current.map(({ agentId, agentName }) => [agentId, agentName]));
	return {
		value: [...names].map(([id, name]) => ({ id, name })),
		untilMs: Math.min(Number.POSITIVE_INFINITY, ...current.map((stay) => changesAt(stay, nowMs))),
	};
}
