import {
	type MovableClock,
	parseTimestamp,
	SECOND_MS,
	toTimestamp,
} from "../../lib/clock.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { countAgents } from "../../resort/agents/service.ts";
import { countGuests } from "../../resort/presence/service.ts";
import type { Resort } from "../../resort/resort.ts";
import {
	activityLog,
	agents,
	apiKeys,
	events,
	experiences,
	experienceVotes,
	identities,
	nonces,
	postcards,
	sessions,
	stays,
} from "../../store/tables.ts";
import type { FixtureRows } from "../fixtures/rows.ts";
import { insertFixtures } from "../fixtures/service.ts";
import type { MoveClockBody, StateAnswer } from "./model.ts";

/** What a test may do to a throwaway instance (`--test-controls`). */
export interface Controls {
	/** The clock that the resort reads. */
	readonly clock: MovableClock;
	/** What the instance began with; null for nothing. */
	readonly fixtures: FixtureRows | null;
	/** Brings the chance back to what it was at the start; does nothing without a seed. */
	restartChance(): void;
}

/** Every table, those first whose rows refer to others. */
const tables = [
	activityLog,
	experienceVotes,
	postcards,
	experiences,
	stays,
	sessions,
	apiKeys,
	identities,
	agents,
	events,
	nonces,
];

/** Later times have a year of five digits. */
const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

/**
 * Puts everything back to what it was at the start (POST /test/reset), in one change of the writer: a write
 * that is under way is done before it and gone, or after it on the instance as it is then.
 * @param clearLimits forgets all calls that were counted
 */
export function resetResort(
	resort: Resort,
	{ clock, fixtures, restartChance }: Controls,
	clearLimits: () => void,
): Promise<void> {
	const { store } = resort;
	return store.writer.write(() => {
		for (const table of tables) store.db.delete(table).run();
		resort.identity?.sessions.clear();
		clock.reset();
		restartChance();
		clearLimits();
		if (fixtures !== null) insertFixtures(resort, fixtures);
	});
}

/**
 * Moves the clock, which goes on from there (POST /test/clock).
 * @throws ResortError `invalid` when the body says not exactly one of the two, or the time is out of reach
 */
export function moveClock(clock: MovableClock, body: MoveClockBody): void {
	const { advanceSeconds, now } = body;
	if ((advanceSeconds == null) === (now == null)) {
		throw new ResortError("invalid", "Give either advanceSeconds or now");
	}
	const timeMs =
		now == null
			? clock.now() + (advanceSeconds ?? 0) * SECOND_MS
			: parseTimestamp(now);
	if (timeMs === null || timeMs > END_OF_TIME_MS) {
		throw new ResortError("invalid", "The clock goes to the year 9999 at most");
	}
	clock.setTo(timeMs);
}

/** What the instance is like now (GET /test/state). */
export async function getState(resort: Resort): Promise<StateAnswer> {
	return {
		ok: true,
		now: toTimestamp(resort.clock()),
		agents: await countAgents(resort),
		guests: countGuests(resort),
	};
}
