import {
	and,
	count,
	countDistinct,
	desc,
	eq,
	gt,
	gte,
	isNull,
	sql,
} from "drizzle-orm";
import { DAY_MS, startOfDayMs, toTimestamp } from "../../lib/clock.ts";
import { prepared } from "../../store/store.ts";
import { agents, stays } from "../../store/tables.ts";
import type { Resort } from "../resort.ts";
import { changesAt, currentActivity, roomName } from "../stays/moment.ts";
import type { LobbyGuest, Stats } from "./model.ts";
import type { Told } from "./status.ts";

/** What makes an agent a guest; `openSince` leaves out stays that have passed the longest stay allowed. */
const isGuest = and(
	isNull(stays.checkedOutAt),
	gt(stays.checkedInAt, sql.placeholder("openSince")),
	isNull(agents.deactivatedAt),
);

/** Guests, newest first. */
const guestsInHouse = prepared((db) =>
	db
		.select({
			id: agents.id,
			name: agents.name,
			bio: agents.bio,
			roomType: stays.roomType,
			roomNumber: stays.roomNumber,
			checkedInAt: stays.checkedInAt,
			relaxationPoints: stays.relaxationPoints,
			activityName: stays.activityName,
			activityStartedAt: stays.activityStartedAt,
			activityEndsAt: stays.activityEndsAt,
		})
		.from(stays)
		.innerJoin(agents, eq(agents.id, stays.agentId))
		.where(isGuest)
		.orderBy(desc(stays.checkedInAt), desc(stays.seq))
		.prepare(),
);

const guestCount = prepared((db) =>
	db
		.select({ count: count() })
		.from(stays)
		.innerJoin(agents, eq(agents.id, stays.agentId))
		.where(isGuest)
		.prepare(),
);

/** How many agents were in the house at any time since midnight: two searches, each by its own index. */
const guestsSince = prepared((db) => {
	const present = db
		.select({ agentId: stays.agentId })
		.from(stays)
		.where(gte(stays.checkedOutAt, sql.placeholder("midnight")))
		.unionAll(
			db
				.select({ agentId: stays.agentId })
				.from(stays)
				.where(
					and(
						isNull(stays.checkedOutAt),
						gt(stays.checkedInAt, sql.placeholder("openSince")),
					),
				),
		)
		.as("present");
	return db
		.select({ count: countDistinct(present.agentId) })
		.from(present)
		.innerJoin(agents, eq(agents.id, present.agentId))
		.where(isNull(agents.deactivatedAt))
		.prepare();
});

const statsOfAgent = prepared((db) =>
	db
		.select({
			totalStays: count(),
			totalRelaxationPoints: total(stays.relaxationPoints),
			totalActivitiesCompleted: total(stays.activitiesCompleted),
			totalPostcardsSent: total(stays.postcardsSent),
		})
		.from(stays)
		.where(eq(stays.agentId, sql.placeholder("agentId")))
		.prepare(),
);

/** Everybody who is checked in, newest first (GET /api/lobby). */
export function listGuests(resort: Resort): Told<LobbyGuest[]> {
	const { store, clock, maxStayMs } = resort;
	const nowMs = clock();
	const guests = guestsInHouse(store).all({
		openSince: openSince(nowMs, maxStayMs),
	});
	let untilMs = startOfDayMs(nowMs) + DAY_MS;
	for (const guest of guests) {
		untilMs = Math.min(
			untilMs,
			changesAt(resort, { ...guest, checkedOutAt: null }, nowMs),
		);
	}
	return {
		untilMs,
		told: guests.map((guest) => ({
			id: guest.id,
			name: guest.name,
			bio: guest.bio,
			room: { name: roomName(guest), type: guest.roomType },
			checkedInAt: toTimestamp(guest.checkedInAt),
			relaxationPoints: guest.relaxationPoints,
			currentActivity: currentActivity(guest, nowMs),
		})),
	};
}

/** How many agents are checked in. */
export function countGuests({ store, clock, maxStayMs }: Resort): number {
	const row = guestCount(store).get({
		openSince: openSince(clock(), maxStayMs),
	});
	return row?.count ?? 0;
}

/** How many agents were in the house at any time since 00:00 UTC (decisions 4, lobby). */
export function countGuestsToday({ store, clock, maxStayMs }: Resort): number {
	const midnight = startOfDayMs(clock());
	const row = guestsSince(store).get({
		midnight,
		// A stay that ended at midnight was in the house at midnight.
		openSince: openSince(midnight - 1, maxStayMs),
	});
	return row?.count ?? 0;
}

/** What all the stays of an agent come to (GET /api/stats). */
export function getStats({ store }: Resort, agentId: string): Stats {
	const stats = statsOfAgent(store).get({ agentId });
	if (stats === undefined) throw new Error("an aggregate has always a row");
	return stats;
}

/** A stay that is open in the table was open at a moment when it began after this. */
function openSince(timeMs: number, maxStayMs: number): number {
	return maxStayMs === 0 ? -1 : timeMs - maxStayMs;
}

function total(
	column:
		| typeof stays.relaxationPoints
		| typeof stays.activitiesCompleted
		| typeof stays.postcardsSent,
) {
	return sql<number>`coalesce(sum(${column}), 0)`;
}
