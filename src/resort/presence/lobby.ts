import { setImmediate } from "node:timers/promises";
import { startOfDayMs, toTimestamp } from "../../lib/clock.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import { type ListPage, readPage } from "../lists.ts";
import type { Page } from "../schemas.ts";
import type { ServiceContext } from "../service-context.ts";
import { nextEnd } from "../stays/service.ts";
import {
	changesAt,
	currentActivity,
	openSince,
	roomName,
} from "../stays/stay-state.ts";
import type { LobbyGuest, Stats } from "./model.ts";
import {
	departures,
	guestList,
	guestsBefore,
	someDepartures,
	someExperiences,
	someGuests,
	someGuestsToday,
	somePostcards,
	statsOfAgent,
} from "./queries.ts";

/** The position of an agent in the departures. */
interface Departure {
	readonly checkedOutAt: number | null;
	readonly agentId: string;
}

/** The number of rows that are read at a time: 3 ms. */
const ROWS_AT_ONCE = 1_000;

/** Some guests, newest first. */
export interface Guests {
	readonly page: ListPage<LobbyGuest>;
	/** Until when the page is valid if nothing happens, in milliseconds since the epoch. */
	readonly untilMs: number;
}

/** Lists the guests, newest first. */
export function* listGuests(
	context: ServiceContext,
	paging: Page,
): Task<Guests> {
	const { store, clock, maxStayMs } = context;
	const nowMs = clock();
	// Guests on other pages leave too.
	let untilMs = yield* nextEnd(context);
	const page = yield* readPage(
		store,
		guestList,
		{ openSince: openSince(nowMs, maxStayMs) },
		paging,
		(guest): LobbyGuest => {
			untilMs = Math.min(untilMs, changesAt(context, guest, nowMs));
			return {
				id: guest.id,
				name: guest.name,
				bio: guest.bio,
				room: { name: roomName(guest), type: guest.roomType },
				checkedInAt: toTimestamp(guest.checkedInAt),
				relaxationPoints: guest.relaxationPoints,
				currentActivity: currentActivity(guest, nowMs),
			};
		},
	);
	return { page, untilMs };
}

/** Counts the guests. */
export function* countGuests({
	store,
	clock,
	maxStayMs,
}: ServiceContext): Task<number> {
	const since = openSince(clock(), maxStayMs);
	return requireRow(yield* guestList.count(store).get({ openSince: since }))
		.count;
}

/** Counts the agents that were guests at any time since 00:00 UTC, with pauses for other calls. */
export async function countGuestsToday(
	context: ServiceContext,
): Promise<number> {
	const { store, clock } = context;
	const midnight = startOfDayMs(clock());
	const present = new Set<string>();
	const count = async (
		next: () => Task<readonly { readonly agentId: string }[]>,
	) => {
		for (let isDone = false; !isDone; ) {
			const page = await store.read(next);
			for (const { agentId } of page) present.add(agentId);
			isDone = page.length < ROWS_AT_ONCE;
			if (!isDone) await setImmediate();
		}
	};
	// Guests first: an agent that checks out meanwhile is among the departures.
	// A stay that ended at midnight counts for the new day.
	const guests = guestsOf(context, midnight - 1);
	await count(() => guests(ROWS_AT_ONCE));
	let last: Departure = { checkedOutAt: midnight, agentId: "" };
	await count(function* () {
		const page = yield* departures(store).all({ ...last, limit: ROWS_AT_ONCE });
		last = page.at(-1) ?? last;
		return page;
	});
	return present.size;
}

/** The figures of the day, each counted up to {@link MOST_COUNTED}. */
export interface Day {
	readonly guests: number;
	readonly guestsToday: number;
	readonly departures: number;
	readonly postcards: number;
	readonly experiences: number;
}

/** The most that web pages count: beyond it they show "more than". */
export const MOST_COUNTED = 10_000;

/** Counts the guests and what has happened since 00:00 UTC. */
export function* countDay({
	store,
	clock,
	maxStayMs,
}: ServiceContext): Task<Day> {
	const nowMs = clock();
	const since = startOfDayMs(nowMs);
	const values = { since, most: MOST_COUNTED };
	const now = { ...values, openSince: openSince(nowMs, maxStayMs) };
	// A stay that ended at midnight counts for the new day.
	const today = { ...values, openSince: openSince(since - 1, maxStayMs) };
	const { count: guestsToday } = requireRow(
		yield* someGuestsToday(store).get(today),
	);
	return {
		guests: requireRow(yield* someGuests(store).get(now)).count,
		guestsToday: Math.min(guestsToday, MOST_COUNTED),
		departures: requireRow(yield* someDepartures(store).get(values)).count,
		postcards: requireRow(yield* somePostcards(store).get(values)).count,
		experiences: requireRow(yield* someExperiences(store).get(values)).count,
	};
}

/**
 * Reads the guests of a moment page by page, newest first.
 * @returns a function that returns the next `limit` of them, fewer at the end
 */
function guestsOf({ store, maxStayMs }: ServiceContext, timeMs: number) {
	const since = { openSince: openSince(timeMs, maxStayMs) };
	let last = { checkedInAt: Number.MAX_SAFE_INTEGER, seq: 0 };
	return function* (limit: number) {
		const page = yield* guestsBefore(store).all({ ...since, ...last, limit });
		last = page.at(-1) ?? last;
		return page;
	};
}

/** Returns the totals of all stays of an agent. */
export function* getStats(
	{ store }: ServiceContext,
	agentId: string,
): Task<Stats> {
	return requireRow(yield* statsOfAgent(store).get({ agentId }));
}
