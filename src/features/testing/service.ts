import { type Static, Type } from "@sinclair/typebox";
import { parseTimestamp, SECOND_MS, toTimestamp } from "../../core/lib/clock.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import { StartError } from "../../core/lib/start-error.ts";
import { countAgents } from "../../core/resort/agents/service.ts";
import type { Context } from "../../core/resort/context.ts";
import { restartEvents } from "../../core/resort/events/publish.ts";
import { countGuests } from "../../core/resort/presence/lobby.ts";
import { Moment, mustBe, OptionalField } from "../../core/resort/schemas.ts";
import { EXTERNAL_CHANGE } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { END_OF_TIME_MS } from "./settings.ts";
import type { InsertFixtures, Testkit } from "./testkit.ts";

/** The maximum number of seconds by which a call advances the clock: ten years. */
const MAX_SECONDS = 315_360_000;

/** The body of POST /test/clock: at least one field, and not both `advanceSeconds` and `now`. */
export const MoveClockBody = Type.Object(
	{
		advanceSeconds: OptionalField(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
		now: OptionalField(Moment),
		frozen: OptionalField(Type.Boolean(mustBe("true or false"))),
	},
	{ title: "MoveClock" },
);

/**
 * Returns the test controls.
 * @throws ResortError `not_found` without `--test-controls`
 */
export function testkitOf({ testkit }: Context): Testkit {
	if (testkit === undefined) throw new ResortError("not_found", "Not found");
	return testkit;
}

/** Returns the current time, whether the clock is frozen, and the numbers of agents and guests. */
export async function getState(context: Context) {
	return {
		now: toTimestamp(context.clock()),
		frozen: testkitOf(context).clock.isFrozen,
		agents: await countAgents(context),
		guests: await context.store.read(() => countGuests(context)),
	};
}

/**
 * Restores the initial state of the instance: the data, the clock, the random generator and the ids of
 * events. Clears faults, recorded calls and rate limits.
 * @throws ResortError `invalid` if the fixtures are impossible at the clock's start time; then nothing is
 * changed
 */
export async function resetResort(context: Context): Promise<void> {
	const { store } = context;
	const testkit = testkitOf(context);
	const insertFixtures = startFixtures(testkit);
	// Cancels delayed calls first. Otherwise they could run while the transaction waits for its commit.
	testkit.faults.reset();
	// One transaction, so that a concurrent write is either deleted as well or happens entirely afterwards.
	await store.write(function* (): Task<void> {
		for (const deleteAll of testkit.deletes) yield* deleteAll(store).run({});
		yield* restartEvents(store);
		yield* store.publish(EXTERNAL_CHANGE);
		testkit.clock.reset();
		testkit.restartRandom();
		if (insertFixtures !== null) yield* insertFixtures(context);
	});
	context.eventLog.forget();
	testkit.calls.clear();
	await testkit.clearLimits();
	await testkit.clockMoved();
}

/**
 * Creates the task that inserts the fixtures for the clock's start time, which may be later than at the first
 * start. If the file contains both absolute and relative times, the fixtures may be impossible at the new
 * start time.
 * @throws ResortError `invalid` if the fixtures are impossible at that time
 */
function startFixtures({ fixtures, clock }: Testkit): InsertFixtures | null {
	try {
		return fixtures?.(clock.startMs) ?? null;
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		throw invalid(error.message);
	}
}

/**
 * Sets, freezes or restarts the clock, and ends the stays that are overdue at the new time.
 * @throws ResortError `invalid` if there is no field or more than one time, or if the time is after
 * {@link END_OF_TIME_MS}
 */
export async function moveClock(
	context: Context,
	{ advanceSeconds, now, frozen }: Static<typeof MoveClockBody>,
): Promise<void> {
	const { clock, clockMoved } = testkitOf(context);
	const isMoved = (advanceSeconds ?? now) != null;
	if ((advanceSeconds != null && now != null) || !(isMoved || frozen != null)) {
		throw invalid("Set advanceSeconds, now or frozen, or frozen with one of the other two");
	}
	if (isMoved) {
		const timeMs = now == null ? context.clock() + (advanceSeconds ?? 0) * SECOND_MS : parseTimestamp(now);
		if (timeMs === null || timeMs > END_OF_TIME_MS) {
			throw invalid("The clock cannot be set after 9999-12-31T00:00:00Z");
		}
		clock.setTo(timeMs);
	}
	if (frozen != null) clock.freeze(frozen);
	await clockMoved();
}
