import type { MovableClock } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { StartError } from "../lib/start-error.ts";
import type { Controls } from "../resort/controls.ts";
import type { Resort } from "../resort/resort.ts";
import type { CallHistory } from "../throwaway/calls/calls.ts";
import { emptyStore } from "../throwaway/controls/rules.ts";
import type { ArmedFaults } from "../throwaway/faults/faults.ts";
import { insertFixtures } from "../throwaway/fixtures/insert.ts";
import type { FixtureRows } from "../throwaway/fixtures/rows.ts";
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
	/** As in {@link Controls}. */
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
	resort: Resort,
	{ clock, fixtures, restartChance, faults, calls, hosts }: ControlParts,
	{ forget, clockMoved }: Affected,
): Controls {
	const { store } = resort;
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
			await store.change(function* () {
				yield* emptyStore(store);
				clock.reset();
				restartChance();
				if (rows !== null) yield* insertFixtures(resort, rows);
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
