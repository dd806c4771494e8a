import { setImmediate } from "node:timers/promises";
import { startOfDayMs, toTimestamp } from "../../lib/clock.ts";
import { requireRow } from "../../store/query.ts";
import type { QueryResult, Task } from "../../store/task.ts";
import { type ListPage, readPage, type readUncounted } from "../lists.ts";
import type { Page } from "../schemas.ts";
import type { ServiceContext } from "../service-context.ts";
import { nextEnd } from "../stays/service.ts";
import { changesAt, currentActivity, openSince, roomName, type Timed } from "../stays/stay-state.ts";
import type { LobbyGuest } from "./model.ts";
import {
	departures,
	type GuestRow,
	guestList,
	guestsBefore,
	guestsByType,
	guestsOfType,
	someDepartures,
	someExperiences,
	someGone,
	someGuests,
	somePostcards,
} from "./queries.ts";

/** The maximum number of rows that one query returns. Such a query takes about 3 ms. */
const ROWS_AT_ONCE = 1_000;

/**
 * Returns the guests, newest first.
 * @param read reads the page. Pass {@link readUncounted} if the number of guests is not needed
 */
export function* listGuests(
	context: ServiceContext,
	paging: Page,
	read: typeof readUncounted = readPage,
): Task<Timed<ListPage<LobbyGuest>>> {
	const { store } = context;
	const nowMs = context.clock();
	// `nextEnd` considers the guests on all pages, because the departure of any guest changes `total`.
	let untilMs = yield* nextEnd(context);
	const value = yield* read(store, guestList, {
		values: { openSince: openSince(context, nowMs) },
		page: paging,
		show: (guest) => {
			untilMs = Math.min(untilMs, changesAt(context, guest, nowMs));
			return toLobbyGuest(guest, nowMs);
		},
	});
	return { value, untilMs };
}

function toLobbyGuest(guest: GuestRow, nowMs: number): LobbyGuest {
	return {
		...guest,
		room: { name: roomName(guest), type: guest.roomType },
		checkedInAt: toTimestamp(guest.checkedInAt),
		currentActivity: currentActivity(guest, nowMs),
	};
}

/** Lists the first `limit` guests in rooms of one type, sorted by room number. */
export function* listGuestsOfType(
	context: ServiceContext,
	roomType: string,
	limit: number,
): Task<Timed<LobbyGuest[]>> {
	const nowMs = context.clock();
	const rows = yield* guestsOfType(context.store).all({
		roomType,
		limit,
		openSince: openSince(context, nowMs),
	});
	return {
		value: rows.map((row) => toLobbyGuest(row, nowMs)),
		untilMs: Math.min(yield* nextEnd(context), ...rows.map((row) => changesAt(context, row, nowMs))),
	};
}

/** Counts the guests by room type. Counts at most {@link MOST_COUNTED} guests in all. */
export function* countGuestsByType(context: ServiceContext): Task<Timed<ReadonlyMap<string, number>>> {
	const rows = yield* guestsByType(context.store).all({ openSince: openSince(context), most: MOST_COUNTED });
	return {
		value: new Map(rows.map(({ roomType, count }) => [roomType, count])),
		untilMs: yield* nextEnd(context),
	};
}

/** Counts the guests. */
export function* countGuests(context: ServiceContext): Task<number> {
	return requireRow(yield* guestList.count(context.store).get({ openSince: openSince(context) })).count;
}

/**
 * Counts the agents that have been guests at any time since 00:00 UTC. Uses several queries, so that the
 * server can handle other calls in between.
 */
export async function countGuestsToday(context: ServiceContext): Promise<number> {
	const { store } = context;
	const midnight = startOfDayMs(context.clock());
	const present = new Set<string>();
	const addAll = async <Row extends { readonly agentId: string }, Last>(
		first: Last,
		rowsAfter: (last: Row | Last) => QueryResult<Row[]>,
	) => {
		for (let last: Row | Last = first; ; await setImmediate()) {
			const after: Row | Last = last;
			const rows: Row[] = await store.read(() => rowsAfter(after));
			for (const { agentId } of rows) present.add(agentId);
			if (rows.length < ROWS_AT_ONCE) return;
			last = rows.at(-1) ?? last;
		}
	};
	// Reads the guests before the departures, so that an agent that checks out in the meantime is found among
	// the departures.
	await addAll({ checkedInAt: Number.MAX_SAFE_INTEGER, seq: 0 }, (last) =>
		guestsBefore(store).all({
			...last,
			// Passes the millisecond before midnight, because a stay that ended exactly at midnight counts for the
			// new day.
			openSince: openSince(context, midnight - 1),
			limit: ROWS_AT_ONCE,
		}),
	);
	await addAll({ checkedOutAt: midnight, agentId: "" }, (last) =>
		departures(store).all({ ...last, limit: ROWS_AT_ONCE }),
	);
	return present.size;
}

/**
 * The statistics of the current day (UTC). Each number is at most {@link MOST_COUNTED}. `guests` counts the
 * guests at this moment, the others count since 00:00 UTC.
 */
export interface Day {
	readonly guests: number;
	readonly guestsToday: number;
	readonly departures: number;
	readonly postcards: number;
	readonly experiences: number;
}

/** The highest count on web pages. If a count reaches it, the page shows "or more". */
export const MOST_COUNTED = 10_000;

/** Returns the statistics of the current day. */
export function* countDay(context: ServiceContext): Task<Day> {
	const { store } = context;
	const since = startOfDayMs(context.clock());
	const values = { since, most: MOST_COUNTED };
	const openNow = openSince(context);
	const countStays = function* (after: number, until: number) {
		const range = { ...values, openSince: after, until };
		return requireRow(yield* someGuests(store).get(range)).count;
	};
	const guests = yield* countStays(openNow, Number.MAX_SAFE_INTEGER);
	// Passes the millisecond before midnight, because a stay that ended exactly at midnight counts for the new
	// day.
	const overdue = yield* countStays(openSince(context, since - 1), openNow);
	const gone = requireRow(yield* someGone(store).get(values)).count;
	return {
		guests,
		guestsToday: Math.min(guests + overdue + gone, MOST_COUNTED),
		departures: requireRow(yield* someDepartures(store).get(values)).count,
		postcards: requireRow(yield* somePostcards(store).get(values)).count,
		experiences: requireRow(yield* someExperiences(store).get(values)).count,
	};
}
