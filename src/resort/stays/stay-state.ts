/** The state of a stay at a given time, without queries. */

import { toTimestamp } from "../../lib/clock.ts";
import type { stays } from "../../store/tables.ts";
import type { ServiceContext } from "../service-context.ts";
import type { CurrentActivity } from "./model.ts";

/** A value, and when it changes if no event occurs, in milliseconds since the epoch. */
export interface Timed<T> {
	readonly value: T;
	readonly untilMs: number;
}

/** A row of the stays table. */
export type Stay = typeof stays.$inferSelect;

/** The settings that determine how a stay changes with time. */
export type Time = Pick<ServiceContext, "clock" | "maxStayMs">;

/** Returns the current state of a stay: an overdue one is closed, even if it is open in the table. */
export function asOfNow<S extends Pick<Stay, "checkedInAt" | "checkedOutAt">>(
	{ clock, maxStayMs }: Time,
	stay: S,
): S {
	const endsBy = latestEnd({ maxStayMs }, stay);
	return endsBy !== null && stay.checkedOutAt === null && clock() >= endsBy
		? { ...stay, checkedOutAt: endsBy }
		: stay;
}

/** Returns when the resort ends a stay at the latest, in milliseconds since the epoch; null if it does not. */
export function latestEnd(
	{ maxStayMs }: Pick<Time, "maxStayMs">,
	{ checkedInAt }: Pick<Stay, "checkedInAt">,
): number | null {
	return maxStayMs > 0 ? checkedInAt + maxStayMs : null;
}

/** Returns the time after which a stay must have begun to be open at `timeMs`. */
export function openSince(timeMs: number, maxStayMs: number): number {
	return maxStayMs === 0 ? -1 : timeMs - maxStayMs;
}

/**
 * Returns when a stay changes by time alone, in milliseconds since the epoch: its activity ends, or it becomes overdue.
 * Infinity if it does not.
 * @param nowMs the time of the response; a later one would miss an activity that ended in between
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

/** Returns the newest activity until its suggested duration has passed, also after the stay's end. */
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

/** Returns the name of a room: its type and number. */
export function roomName({
	roomType,
	roomNumber,
}: Pick<Stay, "roomType" | "roomNumber">): string {
	return `${roomType} ${roomNumber}`;
}
