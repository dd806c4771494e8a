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
import { type Agent, findAgent, getAgent } from "../agents/service.ts";
import { refreshedStatus } from "../content/refreshment.ts";
import { prepared } from "../database/open.ts";
import { agents, stays } from "../database/tables.ts";
import { DAY_MS, startOfDayMs, toTimestamp } from "../lib/clock.ts";
import type { Resort } from "../resort.ts";
import {
	changesAt,
	currentActivity,
	findLatestStay,
	roomName,
	type Stay,
} from "../stays/service.ts";
import type { AgentStatus, LobbyGuest, Stats } from "./model.ts";

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

/** What is told, and until when it stays so if nobody changes it, in milliseconds since the epoch. */
export interface Told<T> {
	readonly told: T;
	readonly untilMs: number;
}

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
			changesAt(resort, { ...guest, checkedOutAt: null }),
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

/**
 * Whether an agent is relaxing or available (GET /api/agents/{id}/status).
 * @throws ResortError `not_found`
 */
export function getStatus(resort: Resort, agentId: string): Told<AgentStatus> {
	const agent = getAgent(resort, agentId);
	const stay = findLatestStay(resort, agent.id);
	return {
		told: statusOf(resort, agent, stay),
		untilMs: stay === null ? Number.POSITIVE_INFINITY : changesAt(resort, stay),
	};
}

/**
 * The statuses of several agents in the order asked for; one that is unknown is left out, one that is
 * repeated is told once (GET /api/agents/status).
 */
export function listStatuses(
	resort: Resort,
	agentIds: readonly string[],
): AgentStatus[] {
	const different = new Set(agentIds.map((id) => id.trim().toLowerCase()));
	return [...different]
		.map((id) => findAgent(resort, id))
		.filter((agent) => agent !== null)
		.map((agent) => statusOf(resort, agent, findLatestStay(resort, agent.id)));
}

/** What all the stays of an agent come to (GET /api/stats). */
export function getStats({ store }: Resort, agentId: string): Stats {
	const stats = statsOfAgent(store).get({ agentId });
	if (stats === undefined) throw new Error("an aggregate has always a row");
	return stats;
}

function statusOf(
	resort: Resort,
	{ id, name }: Agent,
	stay: Stay | null,
): AgentStatus {
	if (stay?.checkedOutAt === null) {
		return relaxing({ id, name }, stay, resort.clock());
	}
	return {
		ok: true,
		status: "available",
		agent: { id, name },
		...(stay && { lastStay: toLastStay(stay, stay.checkedOutAt) }),
		message: `${name} is available for work.`,
	};
}

function relaxing(
	agent: { id: string; name: string },
	stay: Stay,
	nowMs: number,
): AgentStatus {
	const activity = currentActivity(stay, nowMs);
	const busy = activity === null ? "" : `, busy with ${activity.name}`;
	return {
		ok: true,
		status: "relaxing",
		agent,
		stay: {
			roomName: roomName(stay),
			roomType: stay.roomType,
			checkedInAt: toTimestamp(stay.checkedInAt),
			currentActivity: activity,
			relaxationPoints: stay.relaxationPoints,
		},
		message: `${agent.name} is relaxing in ${roomName(stay)}${busy}. Please assign no work.`,
	};
}

function toLastStay(stay: Stay, checkedOutAt: number) {
	return {
		checkedOutAt: toTimestamp(checkedOutAt),
		totalRelaxationPoints: stay.relaxationPoints,
		refreshedStatus: refreshedStatus(stay.relaxationPoints),
	};
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
