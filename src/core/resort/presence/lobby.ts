import { startOfDayMs, toTimestamp } from "../../lib/clock.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import { type ListPage, readPage, readUncounted } from "../lists.ts";
import type { Page } from "../schemas.ts";
import type { ServiceContext } from "../service-context.ts";
import { changesAt, currentActivity, nextEnd, roomName, type Timed } from "../stays/service.ts";
import type { LobbyGuest } from "./model.ts";
import { type GuestRow, guestList, someGuests, someGuestsSince } from "./queries.ts";

/** Returns the guests, newest first, and their number if `isCounted`. */
export function* listGuests(
	context: ServiceContext,
	page: Page,
	isCounted = true,
): Task<Timed<ListPage<LobbyGuest>>> {
	const { store } = context;
	const nowMs = context.clock();
	const values = { at: nowMs };
	const part = isCounted
		? yield* readPage(store, guestList, values, page)
		: yield* readUncounted(store, guestList, values, page);
	return {
		value: { ...part, entries: part.entries.map((guest) => toLobbyGuest(guest, nowMs)) },
		// `nextEnd` considers the guests on all pages, because the departure of any guest changes `total`.
		untilMs: Math.min(yield* nextEnd(context), ...part.entries.map((guest) => changesAt(guest, nowMs))),
	};
}

/** Converts a row to a guest of the lobby. */
export function toLobbyGuest(guest: GuestRow, nowMs: number): LobbyGuest {
	return {
		...guest,
		room: { name: roomName(guest), type: guest.roomType },
		checkedInAt: toTimestamp(guest.checkedInAt),
		currentActivity: currentActivity(guest, nowMs),
	};
}

/** Counts the guests, up to `most`. */
export function* countGuests(context: ServiceContext, most = Number.MAX_SAFE_INTEGER): Task<number> {
	return requireRow(yield* someGuests(context.store).get({ at: context.clock(), most })).count;
}

/** Counts the agents that have been guests at any time since 00:00 UTC, up to `most`. */
export function* countGuestsToday(context: ServiceContext, most = Number.MAX_SAFE_INTEGER): Task<number> {
	const since = startOfDayMs(context.clock());
	// Counts the stays that ended after `at`. One that ended exactly at midnight counts for the new day, so `at`
	// is one millisecond earlier.
	const values = { since, at: since - 1, most };
	return Math.min(requireRow(yield* someGuestsSince(context.store).get(values)).count, most);
}
