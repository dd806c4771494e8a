import type { MovableClock } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { StartError } from "../lib/start-error.ts";
import type { ServiceContext } from "../resort/context.ts";
import type { Testkit } from "../resort/testkit.ts";
import type { CallHistory } from "../testkit/calls/calls.ts";
import { emptyStore } from "../testkit/controls/service.ts";
import type { ArmedFaults } from "../testkit/faults/faults.ts";
import { insertFixtures } from "../testkit/fixtures/insert.ts";
import type { FixtureRows } from "../testkit/fixtures/rows.ts";
import type { FixturesAt } from "./fixtures.ts";

/** What the test controls work on. */
export interface ControlParts {
	readonly clock: Pick<
		MovableClock,
		"startMs" | "isFrozen" | "setTo" | "freeze" | "reset"
	>;
	/** What the instance began with; null for nothing. */
	readonly fixtures: FixturesAt | null;
	/** Brings the randomness back to what it was at the start. */
	readonly restartChance: () => void;
	readonly faults: ArmedFaults;
	readonly calls: CallHistory;
	/** As in {@link Testkit}. */
	readonly hosts: readonly string[];
}

/** What the test controls have to tell. */
export interface Affected {
	/** Ends the limits. */
	forget(): Promise<void>;
	/** Does what is due by the new time. */
	clockMoved(): Promise<void>;
}

/** What tests may do to a resort. */
export function controlsOf(
	context: ServiceContext,
	{ clock, fixtures, restartChance, faults, calls, hosts }: ControlParts,
	{ forget, clockMoved }: Affected,
): Testkit {
	const { store } = context;
	return {
		hosts,
		faults,
		calls,
		get isFrozen() {
			return clock.isFrozen;
		},
		async reset() {
			const rows = fixtures && rowsOf(fixtures, clock.startMs);
			// First: what is held up would go on while the change waits for its commit.
			faults.reset();
			// One change: a write that is under way is done before it and gone, or done after it.
			await store.write(function* () {
				yield* emptyStore(store);
				clock.reset();
				restartChance();
				if (rows !== null) yield* insertFixtures(context, rows);
			});
			calls.clear();
			await forget();
			await clockMoved();
		},
		async setClock({ timeMs, isFrozen }) {
			if (timeMs !== null) clock.setTo(timeMs);
			if (isFrozen !== null) clock.freeze(isFrozen);
			await clockMoved();
		},
	};
}

/** The fixtures as they are at a reset: some of their times may no longer fit to each other. */
function rowsOf(fixtures: FixturesAt, nowMs: number): FixtureRows {
	try {
		return fixtures(nowMs);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		throw new ResortError("invalid", error.message);
	}
}
