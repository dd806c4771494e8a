import { ResortError } from "../lib/resort-error.ts";
import { StartError } from "../lib/start-error.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { query } from "../store/query.ts";
import { depthOf } from "../store/reference-depth.ts";
import { EXTERNAL_CHANGE, type Store } from "../store/store.ts";
import * as tables from "../store/tables.ts";
import type { Task } from "../store/task.ts";
import type { FixtureRows } from "./fixtures/fixture-rows.ts";
import { insertFixtures } from "./fixtures/insert-fixtures.ts";
import type { FixturesAt } from "./fixtures/read-fixtures.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { Testkit } from "./testkit.ts";

/** The parts of an instance that the testkit controls. */
export interface TestkitParts
	extends Pick<Testkit, "hosts" | "faults" | "calls"> {
	readonly clock: Pick<
		MovableClock,
		"startMs" | "isFrozen" | "setTo" | "freeze" | "reset"
	>;
	/** Null without fixtures. */
	readonly fixtures: FixturesAt | null;
	/** Restores the randomness of the start. */
	readonly restartRandom: () => void;
}

/** What the application does when the testkit has changed something. */
export interface TestkitHooks {
	clearLimits(): Promise<void>;
	/** Runs what is due at the new time. */
	clockMoved(): Promise<void>;
}

/** Creates the testkit of an instance. */
export function createTestkit(
	context: ServiceContext,
	{ clock, fixtures, restartRandom, ...parts }: TestkitParts,
	{ clearLimits, clockMoved }: TestkitHooks,
): Testkit {
	const { store } = context;
	const { faults, calls } = parts;
	return {
		...parts,
		get isFrozen() {
			return clock.isFrozen;
		},
		async reset() {
			const rows = fixtures && rowsNow(fixtures, clock.startMs);
			// First: delayed calls would otherwise go on while the transaction waits for its commit.
			faults.reset();
			// In one transaction, so that a concurrent write is removed with the rest or happens entirely afterwards.
			await store.write(function* () {
				yield* emptyTables(store);
				clock.reset();
				restartRandom();
				if (rows !== null) yield* insertFixtures(context, rows);
			});
			calls.clear();
			await clearLimits();
			await clockMoved();
		},
		async setClock({ timeMs, isFrozen }) {
			if (timeMs !== null) clock.setTo(timeMs);
			if (isFrozen !== null) clock.freeze(isFrozen);
			await clockMoved();
		},
	};
}

/** Deletes all rows, those that refer to other tables first. */
const deletes = Object.values(tables)
	.toSorted((a, b) => depthOf(b) - depthOf(a))
	.map((table) => query({}, (builder) => builder.delete(table)));

function* emptyTables(store: Store): Task<void> {
	for (const deleteAll of deletes) yield* deleteAll(store).run({});
	yield* store.publish(EXTERNAL_CHANGE);
}

/** The rows of the fixtures at a reset, when some absolute times may no longer fit the relative ones. */
function rowsNow(fixtures: FixturesAt, nowMs: number): FixtureRows {
	try {
		return fixtures(nowMs);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		throw new ResortError("invalid", error.message);
	}
}
