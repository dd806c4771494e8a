/** Computes the state of a stay at a given time, without queries. */

import { toTimestamp } from "../../lib/clock.ts";
import type { stays } from "../../store/tables.ts";
import type { ServiceContext } from "../service-context.ts";
import type { CurrentActivity } from "./model.ts";

/**
 * A value, and the time until which it stays valid if no event changes it earlier, in milliseconds since the
 * epoch.
 */
export interface Timed<T> {
	readonly value: T;
	readonly untilMs: number;
}

/** A row of the stays table. */
export type Stay = typeof stays.$inferSelect;

/** The beginning of a stay, and its end; null if nobody has ended it. */
type StayTimes = Pick<Stay, "checkedInAt" | "checkedOutAt">;

/** The settings that determine how a stay changes over time. */
export type Time = Pick<ServiceContext, "clock" | "maxStayMs">;

/**
 * Returns a stay as it is now. An overdue stay is returned as closed, even if the table still contains it as
 * open.
 */
export function asOfNow<S extends StayTimes>({ clock, maxStayMs }: Time, stay: S): S {
	const endMs = endsBy({ maxStayMs }, stay);
	return endMs !== null && stay.checkedOutAt === null && clock() >= endMs
		? { ...stay, checkedOutAt: endMs }
		: stay;
}

/** Whether a stay is open now: nobody has ended it, and it is not overdue. */
export function isOpen(time: Time, { checkedInAt, checkedOutAt }: StayTimes): boolean {
	return asOfNow(time, { checkedInAt, checkedOutAt }).checkedOutAt === null;
}

/**
 * Returns the time at which the resort ends a stay at the latest, in milliseconds since the epoch; null if
 * the duration of stays is unlimited.
 */
export function endsBy(
	{ maxStayMs }: Pick<Time, "maxStayMs">,
	{ checkedInAt }: Pick<Stay, "checkedInAt">,
): number | null {
	return maxStayMs > 0 ? checkedInAt + maxStayMs : null;
}

/**
 * Returns the latest check-in time of the stays that are overdue at `timeMs`, by default now; -1 if the
 * duration of stays is unlimited, because no stay is overdue then. It is a value of the condition
 * `isOpenStay` in `queries.ts`.
 */
export function lastOverdue({ clock, maxStayMs }: Time, timeMs = clock()): number {
	return maxStayMs === 0 ? -1 : timeMs - maxStayMs;
}

/**
 * Returns the next time at which a stay changes without an event, in milliseconds since the epoch. The stay
 * changes when the current activity ends, and when the stay becomes overdue. Returns Infinity if the stay
 * will not change.
 * @param nowMs the time for which the answer was computed. With a later time, an activity that ended in
 * between would be missed
 */
export function changesAt(
	time: Pick<Time, "maxStayMs">,
	stay: Pick<Stay, "checkedInAt" | "checkedOutAt" | "activityEndsAt">,
	nowMs: number,
): number {
	if (stay.checkedOutAt !== null) return Number.POSITIVE_INFINITY;
	const { activityEndsAt } = stay;
	return Math.min(
		activityEndsAt !== null && activityEndsAt > nowMs ? activityEndsAt : Number.POSITIVE_INFINITY,
		endsBy(time, stay) ?? Number.POSITIVE_INFINITY,
	);
}

/**
 * Returns the newest activity of a stay; null if its suggested duration has passed. Does not check whether
 * the stay has ended.
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

/** Returns the name of a room, which consists of its type and number. */
export function roomName({ roomType, roomNumber }: Pick<Stay, "roomType" | "roomNumber">): string {
	return `${roomType} ${roomNumber}`;
}
