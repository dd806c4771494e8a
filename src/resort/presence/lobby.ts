import { DAY_MS, startOfDayMs, toTimestamp } from "../../lib/clock.ts";
import { inOrder, sliceValues } from "../../store/page.ts";
import { theRow } from "../../store/question.ts";
import { LongList } from "../reply.ts";
import type { Resort } from "../resort.ts";
import {
	changesAt,
	currentActivity,
	roomName,
	type Timed,
} from "../stays/moment.ts";
import type { LobbyGuest, Stats } from "./model.ts";
import {
	guestCount,
	guestKeys,
	guestsByKey,
	guestsSince,
	statsOfAgent,
} from "./queries.ts";

/** Everybody who is checked in, newest first. */
export function listGuests(resort: Resort): Timed<LongList<LobbyGuest>> {
	const { store, clock, maxStayMs } = resort;
	const nowMs = clock();
	const guests = guestKeys(store).all({
		openSince: openSince(nowMs, maxStayMs),
	});
	let untilMs = startOfDayMs(nowMs) + DAY_MS;
	for (const guest of guests) {
		const stay = { ...guest, checkedOutAt: null };
		untilMs = Math.min(untilMs, changesAt(resort, stay, nowMs));
	}
	const read = (keys: readonly number[]): LobbyGuest[] =>
		inOrder(keys, guestsByKey(store).all(sliceValues(keys))).map((guest) => ({
			id: guest.id,
			name: guest.name,
			bio: guest.bio,
			room: { name: roomName(guest), type: guest.roomType },
			checkedInAt: toTimestamp(guest.checkedInAt),
			relaxationPoints: guest.relaxationPoints,
			currentActivity: currentActivity(guest, nowMs),
		}));
	const keys = guests.map(({ seq }) => seq);
	return { value: new LongList(keys, read), untilMs };
}

/** How many agents are checked in. */
export function countGuests({ store, clock, maxStayMs }: Resort): number {
	const since = openSince(clock(), maxStayMs);
	return theRow(guestCount(store).get({ openSince: since })).count;
}

/** How many agents were in the house at any time since 00:00 UTC. */
export function countGuestsToday({ store, clock, maxStayMs }: Resort): number {
	const midnight = startOfDayMs(clock());
	// A stay that ended at midnight was in the house at midnight.
	const since = openSince(midnight - 1, maxStayMs);
	return theRow(guestsSince(store).get({ midnight, openSince: since })).count;
}

/** What all the stays of an agent come to. */
export function getStats({ store }: Resort, agentId: string): Stats {
	return theRow(statsOfAgent(store).get({ agentId }));
}

/** A stay that is open in the table was open at a moment when it began after this. */
function openSince(timeMs: number, maxStayMs: number): number {
	return maxStayMs === 0 ? -1 : timeMs - maxStayMs;
}
