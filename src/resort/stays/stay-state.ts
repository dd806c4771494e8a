/** The state of a stay at a given time, without queries. */

import { toTimestamp } from "../../lib/clock.ts";
import type { stays } from "../../store/tables.ts";
import type { ServiceContext } from "../service-context.ts";
import type { CurrentActivity } from "./model.ts";

/** A value, and until when it stays so if nothing happens, in milliseconds since the epoch. */
export interface Timed<T> {
	readonly value: T;
	readonly untilMs: number;
}

/** A row of the stays table. */
export type Stay = typeof stays.$inferSelect;

/** What is needed to tell how time alone changes a stay. */
export type Time = Pick<ServiceContext, "clock" | "maxStayMs">;

/** A stay as it is now: one that has passed the longest stay allowed is closed, even if the table has it open. */
export function asOfNow<S extends Pick<Stay, "checkedInAt" | "checkedOutAt">>(
	{ clock, maxStayMs }: Time,
	stay: S,
): S {
	const endsBy = latestEnd({ maxStayMs }, stay);
	return endsBy !== null && stay.checkedOutAt === null && clock() >= endsBy
		? { ...stay, checkedOutAt: endsBy }
		: stay;
}

/** When the resort ends a stay at the latest, in milliseconds since the epoch; null when it does not. */
export function latestEnd(
	{ maxStayMs }: Pick<Time, "maxStayMs">,
	{ checkedInAt }: Pick<Stay, "checkedInAt">,
): number | null {
	return maxStayMs > 0 ? checkedInAt + maxStayMs : null;
}

/** A stay that is open in the table was open at `timeMs` only if it began after this moment. */
export function openSince(timeMs: number, maxStayMs: number): number {
	return maxStayMs === 0 ? -1 : timeMs - maxStayMs;
}

/**
 * When what is told of a stay changes by time alone, in milliseconds since the epoch: an activity has taken its
 * time, or the longest stay allowed is over. Infinity when it does not.
 * @param nowMs the moment of the answer; with a later one, an activity that ended in between would be missed
 */
export function changesAt(
	time: Pick<Time, "maxStayMs">,
	stay: Pick<Stay, "checkedInAt" | "checkedOutAt" | "activityEndsAt">,
	nowMs: number,
): number {
	if (stay.checkedOutAt !== null) return Number.POSITIVE_INFINITY;
	const { activityEndsAt } = stay;
	return Math.min(
		activityEndsAt !== null && activityEndsAt > nowMs
			? activityEndsAt
			: Number.POSITIVE_INFINITY,
		latestEnd(time, stay) ?? Number.POSITIVE_INFINITY,
	);
}

/**
 * What the guest does just now: the newest activity until its suggested duration has passed, also past the stay's
 * end.
 */
export function currentActivity(
	{
		activityName,
		activityStartedAt,
		activityEndsAt,
	}: Pick<Stay, "activityName" | "activityStartedAt" | "activityEndsAt">,
	nowMs: number,
): CurrentActivity {
	if (activityName === null || activityStartedAt === null) return null;
	if (activityEndsAt === null || activityEndsAt <= nowMs) return null;
	return {
		name: activityName,
		startedAt: toTimestamp(activityStartedAt),
		endsAt: toTimestamp(activityEndsAt),
	};
}

/** A room's name: its type and its number. */
export function roomName({
	roomType,
	roomNumber,
}: Pick<Stay, "roomType" | "roomNumber">): string {
	return `${roomType} ${roomNumber}`;
}
