import { parseTimestamp, SECOND_MS, toTimestamp } from "../../lib/clock.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { countAgents } from "../../resort/agents/rules.ts";
import { countGuests } from "../../resort/presence/lobby.ts";
import type { Resort } from "../../resort/resort.ts";
import { question } from "../../store/question.ts";
import { depthOf } from "../../store/references.ts";
import type { Rule } from "../../store/rule.ts";
import { ELSEWHERE, type Store } from "../../store/store.ts";
import * as tables from "../../store/tables.ts";
import type { MoveClockBody } from "./model.ts";

/** Later times have a year of five digits. */
const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

/** Empties every table, those that refer to others before these others. */
const emptyTables = Object.values(tables)
	.toSorted((a, b) => depthOf(b) - depthOf(a))
	.map((table) => question({}, (builder) => builder.delete(table)));

/** Forgets all rows, inside a change. */
export function* emptyStore(store: Store): Rule<void> {
	for (const empty of emptyTables) yield* empty(store).run({});
	yield* store.announce(ELSEWHERE);
}

/**
 * The time to which a call moves the clock, in milliseconds since the epoch.
 * @param nowMs the present one
 * @throws ResortError `invalid` when the body says not exactly one of the two, or the time is out of reach
 */
export function timeAfter(nowMs: number, body: MoveClockBody): number {
	const { advanceSeconds, now } = body;
	if ((advanceSeconds == null) === (now == null)) {
		throw new ResortError("invalid", "Give either advanceSeconds or now");
	}
	const timeMs =
		now == null
			? nowMs + (advanceSeconds ?? 0) * SECOND_MS
			: parseTimestamp(now);
	if (timeMs === null || timeMs > END_OF_TIME_MS) {
		throw new ResortError("invalid", "The clock goes to the year 9999 at most");
	}
	return timeMs;
}

/** What the instance is like now. */
export async function getState(resort: Resort) {
	return {
		now: toTimestamp(resort.clock()),
		agents: await countAgents(resort),
		guests: await resort.store.read(() => countGuests(resort)),
	};
}
