import { countDay } from "../resort/presence/lobby.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { requireRow } from "../store/query.ts";
import { counts } from "./queries.ts";

/** The house in numbers: what there is in all, and what has happened since 00:00 UTC. */
export async function countHouse(
	context: ServiceContext,
): Promise<Record<string, number>> {
	const { store } = context;
	const all: Record<string, number> = {};
	for (const [name, question] of Object.entries(counts)) {
		// Each by itself, so that others are answered in between.
		all[name] = await store.read(function* () {
			return requireRow(yield* question(store).get({})).count;
		});
	}
	const day = await store.read(() => countDay(context));
	return {
		...all,
		guests: day.guests,
		guestsToday: day.guestsToday,
		departuresToday: day.departures,
		postcardsToday: day.postcards,
		experiencesToday: day.experiences,
	};
}
