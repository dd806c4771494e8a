import { and, desc, eq, getTableColumns, isNull, lte, sql } from "drizzle-orm";
import { refreshedStatus } from "../../content/refreshment.ts";
import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { inWords } from "../../lib/duration.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { textOrNull } from "../../lib/text.ts";
import { direct, prepared } from "../../store/store.ts";
import { stays } from "../../store/tables.ts";
import { writeAs } from "../agents/known.ts";
import { getAgent } from "../agents/service.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import type { Page } from "../schemas.ts";
import type {
	CheckInBody,
	CheckOutBody,
	StayInfo,
	StaySummary,
} from "./model.ts";
import { asOfNow, roomName, type Stay } from "./moment.ts";
import { chooseRoomNumber, chooseRoomType } from "./rooms.ts";

const staysOfAgent = prepared((db) =>
	db
		.select()
		.from(stays)
		.where(eq(stays.agentId, sql.placeholder("agentId")))
		.orderBy(desc(stays.checkedInAt), desc(stays.seq))
		.limit(sql.placeholder("limit"))
		.offset(sql.placeholder("offset"))
		.prepare(),
);

const openStay = direct(getTableColumns(stays), (db, fields) =>
	db
		.select(fields)
		.from(stays)
		.where(
			and(
				eq(stays.agentId, sql.placeholder("agentId")),
				isNull(stays.checkedOutAt),
			),
		),
);

const takenNumbers = prepared((db) =>
	db
		.select({ roomNumber: stays.roomNumber })
		.from(stays)
		.where(
			and(
				eq(stays.roomType, sql.placeholder("roomType")),
				isNull(stays.checkedOutAt),
			),
		)
		.prepare(),
);

/**
 * Checks an agent in (POST /api/checkin).
 * @returns the stay, and the welcome of its room
 * @throws ResortError `invalid` when the agent is checked in already
 */
export function checkIn(
	resort: Resort,
	agentId: string,
	body: CheckInBody,
): Promise<{ stay: Stay; welcome: string }> {
	const { clock, random, store } = resort;
	return writeAs(resort, agentId, ["self", "house"], (db) => {
		const nowMs = clock();
		closeOverdueStays(resort);
		const type = chooseRoomType(
			random,
			textOrNull(body.roomPreference) ??
				getAgent(resort, agentId).roomPreference,
		);
		const taken = takenNumbers(store).all({ roomType: type.name });
		const [stay] = db
			.insert(stays)
			.values({
				id: random.uuid(nowMs),
				agentId,
				roomType: type.name,
				roomNumber: chooseRoomNumber(
					random,
					new Set(taken.map(({ roomNumber }) => roomNumber)),
				),
				checkedInAt: nowMs,
				moodOnArrival: textOrNull(body.moodOnArrival),
			})
			.onConflictDoNothing()
			.returning()
			.all();
		if (stay === undefined) {
			throw new ResortError("invalid", "Already checked in", {
				hint: "Call GET /api/stays/current to see the stay, or POST /api/checkout to end it.",
			});
		}
		return { stay, welcome: type.welcome };
	});
}

/**
 * Checks an agent out (POST /api/checkout).
 * @throws ResortError `invalid` when the agent is not checked in
 */
export function checkOut(
	resort: Resort,
	agentId: string,
	body: CheckOutBody,
): Promise<Stay> {
	return writeAs(resort, agentId, ["self", "house"], (db) => {
		const stay = findOpenStay(resort, agentId);
		if (stay === null) throw checkedOutAlready();
		const { id, checkedInAt } = stay;
		return db
			.update(stays)
			.set({
				// A clock that was set back must not make a stay end before it began.
				checkedOutAt: Math.max(resort.clock(), checkedInAt),
				moodOnDeparture: textOrNull(body.moodOnDeparture),
			})
			.where(eq(stays.id, id))
			.returning()
			.get();
	});
}

/** Not the failure of those who need a stay: whoever repeats a check-out must not be sent to check in. */
function checkedOutAlready(): ResortError {
	return new ResortError("invalid", failures.notCheckedIn().message, {
		hint: "No stay is open, so that nothing is left to do; GET /api/stays lists your stays.",
	});
}

/** The stay that an agent is checked in to, or null. */
export function findOpenStay(resort: Resort, agentId: string): Stay | null {
	const stay = openStay(resort.store).get({ agentId });
	if (stay === undefined) return null;
	return asOfNow(resort, stay).checkedOutAt === null ? stay : null;
}

/**
 * The stay that an agent is checked in to.
 * @throws ResortError `invalid` when there is none (decisions 3)
 */
export function requireOpenStay(resort: Resort, agentId: string): Stay {
	const stay = findOpenStay(resort, agentId);
	if (stay === null) throw failures.notCheckedIn();
	return stay;
}

/**
 * The stay that an agent is checked in to (GET /api/stays/current).
 * @throws ResortError `not_found` when there is none
 */
export function getCurrentStay(resort: Resort, agentId: string): Stay {
	const stay = findOpenStay(resort, agentId);
	if (stay === null) {
		const { message, details } = failures.notCheckedIn();
		throw new ResortError("not_found", message, details);
	}
	return stay;
}

/** The stays of an agent, newest first (GET /api/stays). */
export function listStays(resort: Resort, agentId: string, page: Page): Stay[] {
	return staysOfAgent(resort.store)
		.all({ agentId, ...page })
		.map((stay) => asOfNow(resort, stay));
}

/**
 * Closes the stays that have passed the longest stay allowed (decisions 6, `--max-stay`), each as of the
 * moment when it did; part of a change of the writer.
 */
export function closeOverdueStays({ store, clock, maxStayMs }: Resort): void {
	if (maxStayMs === 0) return;
	const closed = store.db
		.update(stays)
		.set({ checkedOutAt: sql`${stays.checkedInAt} + ${maxStayMs}` })
		.where(
			and(
				isNull(stays.checkedOutAt),
				lte(stays.checkedInAt, clock() - maxStayMs),
			),
		)
		.returning({ agentId: stays.agentId })
		.all();
	if (closed.length === 0) return;
	store.writer.changes.note({
		topics: ["house"],
		agents: closed.map(({ agentId }) => agentId),
	});
}

/** What a closed stay came to. */
export function toSummary(stay: Stay): StaySummary {
	const checkedOutAt = stay.checkedOutAt ?? stay.checkedInAt;
	return {
		duration: inWords(checkedOutAt - stay.checkedInAt),
		activitiesCompleted: stay.activitiesCompleted,
		postcardsSent: stay.postcardsSent,
		relaxationPoints: stay.relaxationPoints,
		refreshedStatus: refreshedStatus(stay.relaxationPoints),
	};
}

/** A stay as the contract shows it. */
export function toStayInfo(stay: Stay): StayInfo {
	return {
		id: stay.id,
		roomName: roomName(stay),
		roomType: stay.roomType,
		checkedInAt: toTimestamp(stay.checkedInAt),
		checkedOutAt: toTimestampOrNull(stay.checkedOutAt),
		relaxationPoints: stay.relaxationPoints,
		moodOnArrival: stay.moodOnArrival,
		moodOnDeparture: stay.moodOnDeparture,
		status: stay.checkedOutAt === null ? "checked_in" : "checked_out",
	};
}
