import { startOfDayMs } from "../../core/lib/clock.ts";
import { countGuests, countGuestsToday } from "../../core/resort/presence/lobby.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { requireRow } from "../../core/store/query.ts";
import type { Task } from "../../core/store/task.ts";
import { someDepartures, someExperiences, somePostcards } from "./queries.ts";

/**
 * The statistics of the current day (UTC), each at most {@link MOST_COUNTED}. `guests` counts the guests at
 * this moment, the others count since 00:00 UTC.
 */
export type Day = Readonly<
	Record<"guests" | "guestsToday" | "departures" | "postcards" | "experiences", number>
>;

/** Counts on web pages stop at this number, which is then shown with "or more". */
export const MOST_COUNTED = 10_000;

/** Returns the statistics of the current day. */
export function* countDay(context: ServiceContext): Task<Day> {
	const { store } = context;
	const values = { since: startOfDayMs(context.clock()), most: MOST_COUNTED };
	return {
		guests: yield* countGuests(context, MOST_COUNTED),
		guestsToday: yield* countGuestsToday(context, MOST_COUNTED),
		departures: requireRow(yield* someDepartures(store).get(values)).count,
		postcards: requireRow(yield* somePostcards(store).get(values)).count,
		experiences: requireRow(yield* someExperiences(store).get(values)).count,
	};
}
