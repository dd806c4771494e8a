import { pause } from "../lib/pause.ts";
import type { Store } from "../store/store.ts";
import { newestEvent, oldestEvent } from "./queries.ts";

/** How many events are looked at without a pause. */
const EVENTS_AT_ONCE = 20_000;

/** Some events by their numbers: those after `after`, up to `to`. */
export interface EventRange {
	readonly after: number;
	readonly to: number;
}

/** Goes through all events that there are now, a range at a time; others are answered in between. */
export async function overEvents(
	store: Store,
	visit: (range: EventRange) => Promise<void>,
): Promise<void> {
	const { first, last } = await store.read(function* () {
		const first = (yield* oldestEvent(store).get({}))?.id ?? 1;
		const last = (yield* newestEvent(store).get({}))?.id ?? 0;
		return { first, last };
	});
	for (let after = first - 1; after < last; after += EVENTS_AT_ONCE) {
		await visit({ after, to: after + EVENTS_AT_ONCE });
		await pause();
	}
}
