import { toRested } from "../../../content/refreshment.ts";
import { MINUTE_MS, toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import type { activityLog, stays } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";
import type { ActivityInfo, ActivityLogInfo } from "../activities/model.ts";
import { countClosedStay, lockedAgent, setNewestStay } from "../agents/queries.ts";
import { findAgent, getAgent } from "../agents/service.ts";
import { publish } from "../events/publish.ts";
import { failures } from "../failures.ts";
import type { ServiceContext } from "../service-context.ts";
import type { CheckInBody, CurrentActivity, DoBody, StayInfo } from "./model.ts";
import {
	addToStay,
	endingStays,
	endStay,
	insertLog,
	insertStay,
	madeInStay,
	newestStay,
	takenNumbers,
	unendedStay,
} from "./queries.ts";
import { chooseRoomNumber, chooseRoomType } from "./room-choice.ts";

/** A value, and the time until which it is valid if no event changes it, in milliseconds since the epoch. */
export interface Timed<T> {
	readonly value: T;
	readonly untilMs: number;
}

/** A row of the stays table. */
export type Stay = typeof stays.$inferSelect;

/** `checkedOutAt` is null until the end of a stay is stored. `endsBy` is when the resort ends the stay. */
type StayEnds = Pick<Stay, "checkedOutAt" | "endsBy">;

type Time = Pick<ServiceContext, "clock">;

/** Returns a stay as it is now: an overdue one is closed, even if the table still contains it as open. */
export function asOfNow<S extends StayEnds>(time: Time, stay: S): S {
	return stay.checkedOutAt === null && !isOpen(time, stay) ? { ...stay, checkedOutAt: stay.endsBy } : stay;
}

/** Whether a stay is open now: its end is not stored yet, and it is not overdue. */
export function isOpen({ clock }: Time, { checkedOutAt, endsBy }: StayEnds): boolean {
	return checkedOutAt === null && (endsBy === null || endsBy > clock());
}

/**
 * Returns the next time at which a stay changes without an event, because the current activity ends or the
 * stay becomes overdue; Infinity if there is no such time.
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

/** Returns the newest activity of an open stay; null if the suggested duration of the activity has passed. */
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

/**
 * Checks an agent in, after ending an overdue stay. Call it inside a transaction that has locked the agent.
 * @returns the stay, and the welcome text of the room type
 * @throws ResortError `invalid` if the agent is already checked in
 */
export function* checkIn(
	context: ServiceContext,
	agentId: string,
	body: CheckInBody,
): Task<{ stay: Stay; welcome: string }> {
	const { clock, random, store, maxStayMs } = context;
	const nowMs = clock();
	yield* endOverdueStay(context, agentId);
	const type = chooseRoomType(
		random,
		body.roomPreference || (yield* getAgent(context, agentId)).roomPreference,
	);
	const unlimited = Number.POSITIVE_INFINITY;
	const longestMs = Math.min((body.maxMinutes ?? unlimited) * MINUTE_MS, maxStayMs || unlimited);
	yield* store.lock(`room ${type.name}`);
	const taken = yield* takenNumbers(store).all({ roomType: type.name, at: nowMs });
	const stay = yield* insertStay(store).get({
		id: random.uuid(nowMs),
		agentId,
		roomType: type.name,
		roomNumber: chooseRoomNumber(random, new Set(taken.map(({ roomNumber }) => roomNumber))),
		checkedInAt: nowMs,
		checkedOutAt: null,
		endsBy: longestMs === unlimited ? null : nowMs + longestMs,
		moodOnArrival: body.moodOnArrival || null,
		moodOnDeparture: null,
	});
	if (stay === undefined) {
		throw invalid("Already checked in", {
			hint: hint`Call ${call("GET /api/stays/current")} to see the stay, or ${call("POST /api/checkout")} to end it.`,
		});
	}
	const { seq, roomType, checkedInAt } = stay;
	yield* setNewestStay(store).run({ id: agentId, newestStay: seq });
	const details = { roomName: roomName(stay), roomType, checkedInAt };
	yield* publish(store, { type: "agent.relaxing", at: checkedInAt, agentId, details });
	return { stay, welcome: type.welcome };
}

/** Returns the open stay of an agent; null if the agent has none, or if the stay is overdue. */
export function* findOpenStay(context: ServiceContext, agentId: string): Task<Stay | null> {
	const stay = yield* unendedStay(context.store).get({ agentId });
	return stay !== undefined && isOpen(context, stay) ? stay : null;
}

/** Returns the open stay of an agent. @throws ResortError `invalid` if there is none */
export function* requireOpenStay(context: ServiceContext, agentId: string): Task<Stay> {
	const stay = yield* findOpenStay(context, agentId);
	if (stay === null) throw failures.notCheckedIn();
	return stay;
}

/** The number of overdue stays that are ended concurrently. */
const ENDED_AT_ONCE = 100;

/** Ends the overdue stays at their `endsBy`, each in its own transaction. */
export async function endOverdueStays(context: ServiceContext): Promise<void> {
	const { store, clock } = context;
	for (let isDone = false; !isDone; ) {
		const values = { latest: clock(), limit: ENDED_AT_ONCE };
		const overdue = await store.read(() => endingStays(store).all(values));
		const ended = overdue.map(({ agentId }) =>
			store.write(function* () {
				yield* lockedAgent(store).get({ id: agentId });
				yield* endOverdueStay(context, agentId);
			}),
		);
		await Promise.all(ended);
		isDone = overdue.length < ENDED_AT_ONCE;
	}
}

/**
 * Returns the time at which the next stay becomes overdue, in milliseconds since the epoch; Infinity if no
 * stay does.
 */
export function* nextEnd({ store }: ServiceContext): Task<number> {
	const first = yield* endingStays(store).get({ latest: Number.MAX_SAFE_INTEGER, limit: 1 });
	return first?.endsBy ?? Number.POSITIVE_INFINITY;
}

/** Ends the stay of an agent if the stay is overdue. Call it inside a transaction. */
export function* endOverdueStay(context: ServiceContext, agentId: string): Task<void> {
	const open = yield* unendedStay(context.store).get({ agentId });
	if (open === undefined || isOpen(context, open)) return;
	yield* closeStay(context, open, "max_stay");
}

/**
 * Ends an open stay now, or an overdue one at its `endsBy`, updates the totals of the agent, and publishes
 * `agent.available`. Call it inside a transaction.
 * @param reason who ends the stay: the agent, the operator (`host`) or the resort (`max_stay`)
 */
export function* closeStay(
	context: ServiceContext,
	open: Stay,
	reason: "checked_out" | "max_stay" | "host",
	moodOnDeparture: string | null = null,
): Task<Stay> {
	const { store, clock } = context;
	const { seq, agentId } = open;
	// A stay must not end before it began, even if the clock has been set back.
	const checkedOutAt = asOfNow(context, open).checkedOutAt ?? Math.max(clock(), open.checkedInAt);
	const stay = requireRow(yield* endStay(store).get({ seq, checkedOutAt, moodOnDeparture }));
	// The newest stay can be another one: if the clock was set back before this stay began, an earlier stay has
	// a later check-in time.
	const newest = requireRow(yield* newestStay(store).get({ agentId }));
	const { checkedInAt, relaxationPoints: totalRelaxationPoints } = stay;
	yield* countClosedStay(store).run({
		id: agentId,
		newestStay: newest.seq,
		relaxationPoints: totalRelaxationPoints,
		stayMs: checkedOutAt - checkedInAt,
	});
	// Publishes nothing for a deactivated agent, because no event of an agent may follow its `agent.gone`.
	const isGone = reason === "max_stay" && (yield* findAgent(context, agentId)) === null;
	if (isGone) return stay;
	const details = { reason, checkedOutAt, totalRelaxationPoints };
	yield* publish(store, { type: "agent.available", at: checkedOutAt, agentId, details });
	return stay;
}

/** Converts a stay to the form in which the API shows it to the guest. */
export function toStayInfo(stay: Stay): StayInfo {
	return {
		...stay,
		roomName: roomName(stay),
		checkedInAt: toTimestamp(stay.checkedInAt),
		checkedOutAt: toTimestampOrNull(stay.checkedOutAt),
		endsBy: stay.checkedOutAt === null ? toTimestampOrNull(stay.endsBy) : null,
		status: stay.checkedOutAt === null ? "checked_in" : "checked_out",
	};
}

/** The activity or experience that a guest has completed. */
export interface Completed
	extends Pick<ActivityLogInfo, "activityId" | "experienceId">,
		Pick<ActivityInfo, "name" | "category" | "durationMinutes" | "relaxationPoints"> {
	/** The creator of an experience; null for an activity of the catalogue. */
	readonly creatorId: string | null;
}

/**
 * Adds a completed activity or experience to the log and to the open stay, and publishes `agent.did`. Call it
 * inside a transaction.
 */
export function* recordCompletion(
	{ store, clock, random }: Pick<ServiceContext, "store" | "clock" | "random">,
	stay: Pick<Stay, "seq" | "id" | "agentId" | "relaxationPoints">,
	completed: Completed,
	body: DoBody,
) {
	const { seq, id: stayId, agentId } = stay;
	const startedAt = clock();
	const entry = { id: random.uuid(startedAt), startedAt, notes: body.notes || null };
	const { activityId, experienceId, creatorId, name, category, relaxationPoints } = completed;
	yield* insertLog(store).run({
		...entry,
		stayId,
		agentId,
		activityId,
		experienceId,
		activityName: name,
		activityCategory: category,
		relaxationPoints,
	});
	yield* addToStay(store).run({
		seq,
		relaxationPoints,
		experiences: experienceId === null ? 0 : 1,
		activityName: name,
		activityStartedAt: startedAt,
		activityEndsAt: startedAt + completed.durationMinutes * MINUTE_MS,
	});
	yield* publish(store, {
		type: "agent.did",
		at: startedAt,
		agentId,
		subjectId: experienceId,
		creatorId,
		details: { activityId, name, category, relaxationPoints },
	});
	const points = stay.relaxationPoints + relaxationPoints;
	return {
		log: { ...entry, startedAt: toTimestamp(startedAt) },
		/** The points of the stay, including those just added. */
		relaxationPoints: points,
		toRested: toRested(points),
		/** The properties of the stay that suggestions depend on, with the points just added. */
		stay: { id: stayId, relaxationPoints: points },
		/** Whether the guest has created an experience or sent a public postcard during the stay. */
		made: requireRow(yield* madeInStay(store).get({ seq })),
	};
}

/** Converts a row of the activity log to an entry of the caller's log. */
export function toLogInfo(row: typeof activityLog.$inferSelect): ActivityLogInfo {
	return { ...row, startedAt: toTimestamp(row.startedAt) };
}
