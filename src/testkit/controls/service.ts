import {
	END_OF_TIME_MS,
	parseTimestamp,
	SECOND_MS,
	toTimestamp,
} from "../../lib/clock.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { countAgents } from "../../resort/agents/service.ts";
import type { Context } from "../../resort/operation.ts";
import { countGuests } from "../../resort/presence/lobby.ts";
import type { ClockChange } from "../../resort/testkit.ts";
import { query } from "../../store/query.ts";
import { depthOf } from "../../store/references.ts";
import { EXTERNAL_CHANGE, type Store } from "../../store/store.ts";
import * as tables from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";
import { controlsOf } from "../controls-of.ts";
import type { MoveClockBody } from "./model.ts";

/** Empties every table, those that refer to others before these others. */
const emptyTables = Object.values(tables)
	.toSorted((a, b) => depthOf(b) - depthOf(a))
	.map((table) => query({}, (builder) => builder.delete(table)));

/** Forgets all rows, inside a change. */
export function* emptyStore(store: Store): Task<void> {
	for (const empty of emptyTables) yield* empty(store).run({});
	yield* store.publish(EXTERNAL_CHANGE);
}

/**
 * What a call does to the clock.
 * @param nowMs its time, in milliseconds since the epoch
 * @throws ResortError `invalid` when the body says nothing or two times, or the time is out of reach
 */
export function changeOf(nowMs: number, body: MoveClockBody): ClockChange {
	const { advanceSeconds, now, frozen } = body;
	const moves = [advanceSeconds, now].filter((one) => one != null).length;
	if (moves > 1 || (moves === 0 && frozen == null)) {
		throw new ResortError(
			"invalid",
			"Give either advanceSeconds or now, or frozen, or one of the two and frozen",
		);
	}
	const isFrozen = frozen ?? null;
	if (moves === 0) return { timeMs: null, isFrozen };
	const timeMs =
		now == null
			? nowMs + (advanceSeconds ?? 0) * SECOND_MS
			: parseTimestamp(now);
	if (timeMs === null || timeMs > END_OF_TIME_MS) {
		throw new ResortError("invalid", "The clock goes to the year 9999 at most");
	}
	return { timeMs, isFrozen };
}

/** What the instance is like now. */
export async function getState(context: Context) {
	return {
		now: toTimestamp(context.clock()),
		frozen: controlsOf(context).isFrozen,
		agents: await countAgents(context),
		guests: await context.store.read(() => countGuests(context)),
	};
}
