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

/** The end of a stay, null if nobody has ended it, and the time at which the resort ends it. */
type StayEnds = Pick<Stay, "checkedOutAt" | "endsBy">;

type Time = Pick<ServiceContext, "clock">;

/**
 * Returns a stay as it is now. An overdue stay is returned as closed, even if the table still contains it as
 * open.
 */
export function asOfNow<S extends StayEnds>(time: Time, stay: S): S {
	return stay.checkedOutAt === null && !isOpen(time, stay) ? { ...stay, checkedOutAt: stay.endsBy } : stay;
}

/** Whether a stay is open now: nobody has ended it, and it is not overdue. */
export function isOpen({ clock }: Time, { checkedOutAt, endsBy }: StayEnds): boolean {
	return checkedOutAt === null && (endsBy === null || endsBy > clock());
}

/**
 * Returns the next time at which a stay changes without an event, in milliseconds since the epoch. The stay
 * changes when the current activity ends, and when the stay becomes overdue. Returns Infinity if the stay
 * will not change.
 * @param nowMs the time for which the answer was computed. With a later time, an activity that ended in
 * between would be missed
 */
export function changesAt(
	{ checkedOutAt, endsBy, activityEndsAt }: StayEnds & Pick<Stay, "activityEndsAt">,
	nowMs: number,
): number {
	if (checkedOutAt !== null) return Number.POSITIVE_INFINITY;
	return Math.min(
		activityEndsAt !== null && activityEndsAt > nowMs ? activityEndsAt : Number.POSITIVE_INFINITY,
		endsBy ?? Number.POSITIVE_INFINITY,
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
