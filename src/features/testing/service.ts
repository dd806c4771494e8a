import { type Static, Type } from "@sinclair/typebox";
import type { AppServices } from "../../core/commands/feature.ts";
import { parseTimestamp, SECOND_MS, toTimestamp } from "../../core/lib/clock.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import { StartError } from "../../core/lib/start-error.ts";
import { countAgents } from "../../core/resort/agents/service.ts";
import type { Context } from "../../core/resort/context.ts";
import { countGuests } from "../../core/resort/presence/lobby.ts";
import { Moment, mustBe, OptionalField } from "../../core/resort/schemas.ts";
import { EXTERNAL_CHANGE } from "../../core/store/store.ts";
import { deleteFrom, sortTables, type Table } from "../../core/store/table-queries.ts";
import type { Task } from "../../core/store/task.ts";
import type { FaultInjector } from "./faults.ts";
import type { FixtureRows } from "./fixtures/fixture-rows.ts";
import { insertFixtures } from "./fixtures/insert-fixtures.ts";
import type { readFixtures } from "./fixtures/read-fixtures.ts";
import type { MovableClock } from "./movable-clock.ts";
import { restartEvents } from "./queries.ts";
import type { CallRecorder } from "./recorded-calls.ts";
import { END_OF_TIME_MS } from "./settings.ts";

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

/** Returns the test controls. @throws ResortError `not_found` without `--test-controls` */
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
 * Restores the initial state of the instance. Clears faults, recorded calls and rate limits. Returns the new
 * state.
 * @throws ResortError `invalid`, without a change, as {@link rowsAtStart} explains
 */
export async function resetResort(context: Context) {
	const { store } = context;
	const testkit = testkitOf(context);
	const rows = rowsAtStart(testkit);
	// Cancels delayed calls first. Otherwise they could run while the transaction waits for its commit.
	testkit.faults.reset();
	// One transaction, so that a concurrent write is either deleted as well or happens entirely afterwards.
	await store.write(function* (): Task<void> {
		for (const deleteAll of testkit.deletes) yield* deleteAll(store).run({});
		yield* restartEvents(store);
		yield* store.publish(EXTERNAL_CHANGE);
		testkit.clock.reset();
		testkit.restartRandom();
		if (rows !== null) yield* insertFixtures(context, rows);
	});
	context.eventLog.forget();
	testkit.calls.clear();
	await testkit.rateLimits.clear();
	await testkit.clockMoved();
	return await getState(context);
}

/**
 * Creates the rows of the fixtures, with relative times counted from the time that a reset sets.
 * @throws ResortError `invalid` if relative times now contradict absolute times, which can happen after a
 * valid start: unless the clock has a fixed start time, relative times move with the system time
 */
function rowsAtStart({ fixtures, clock }: Testkit): FixtureRows | null {
	try {
		return fixtures?.(clock.startMs) ?? null;
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		throw invalid(error.message);
	}
}

/**
 * Sets, freezes or restarts the clock, and ends the stays that are now overdue. Returns the new state.
 * @throws ResortError `invalid` if the body sets nothing, or both `advanceSeconds` and `now`, or a time after
 * {@link END_OF_TIME_MS}
 */
export async function moveClock(
	context: Context,
	{ advanceSeconds, now, frozen }: Static<typeof MoveClockBody>,
) {
	const { clock, clockMoved } = testkitOf(context);
	const isMoved = (advanceSeconds ?? now) != null;
	if ((advanceSeconds != null && now != null) || !(isMoved || frozen != null)) {
		throw invalid("Set advanceSeconds, now or frozen, or frozen with one of the other two");
	}
	if (isMoved) {
		const timeMs = now == null ? context.clock() + (advanceSeconds ?? 0) * SECOND_MS : parseTimestamp(now);
		if (timeMs === null || timeMs > END_OF_TIME_MS) {
			throw invalid("The clock cannot be set after 9990-01-01T00:00:00Z");
		}
		clock.setTo(timeMs);
	}
	if (frozen != null) clock.freeze(frozen);
	await clockMoved();
	return await getState(context);
}

/** The parts of an instance that the test controls change. */
export interface TestkitParts {
	/** Host names that the test controls accept in `Host` besides loopback names, in lower case. */
	readonly hosts: readonly string[];
	readonly faults: FaultInjector;
	readonly calls: CallRecorder;
	readonly openCalls: NonNullable<Context["openCalls"]>;
	/** The queries that delete all rows, as {@link deletesOf} creates them. */
	readonly deletes: ReturnType<typeof deletesOf>;
	readonly clock: Pick<MovableClock, "startMs" | "isFrozen" | "setTo" | "freeze" | "reset">;
	/** The function that {@link readFixtures} returned; null without fixtures. */
	readonly fixtures: ReturnType<typeof readFixtures> | null;
	/** Restarts the random generator with its initial seed. */
	restartRandom(): void;
}

/** Creates the queries that delete all rows. Rows are deleted before the rows to which they refer. */
export function deletesOf(tables: readonly Table[]) {
	return sortTables(tables)
		.toReversed()
		.map((table) => deleteFrom(table, undefined));
}

/** The test controls of an ephemeral instance. */
type Testkit = TestkitParts & Pick<AppServices, "rateLimits" | "clockMoved">;

declare module "../../core/resort/context.ts" {
	interface Context {
		/** The test controls; undefined if they are off. */
		readonly testkit?: Testkit;
	}
}

/** Closes the connections of all event streams and waiting calls. Returns the numbers of both. */
export function cutConnections(context: Context) {
	const { streams, calls } = testkitOf(context).openCalls;
	const counts = { streams: streams.size, calls: calls.size };
	const open = [...streams, ...calls];
	// A waiting call ends later, and must not be counted by the next cut.
	streams.clear();
	calls.clear();
	for (const cut of open) cut();
	return counts;
}
