import type { Config } from "../config/config.ts";
import { type Random, systemRandom } from "../lib/random.ts";
import { seededRandom } from "../lib/seeded-random.ts";
import { FaultInjector } from "../testkit/faults.ts";
import type { FixtureRows } from "../testkit/fixtures/fixture-rows.ts";
import { insertFixtures } from "../testkit/fixtures/insert-fixtures.ts";
import { readFixtures } from "../testkit/fixtures/read-fixtures.ts";
import { MovableClock } from "../testkit/movable-clock.ts";
import { CallRecorder } from "../testkit/recorded-calls.ts";
import type { TestkitParts } from "../testkit/testkit.ts";

/** What the settings for tests change; by default the clock and the randomness are the system's. */
export interface TestSetup {
	readonly clock: MovableClock;
	readonly random: Random;
	/** Null without `--fixtures`. */
	readonly fixtures: FixtureRows | null;
	/** Null without `--test-controls`. */
	readonly controls: TestkitParts | null;
}

/**
 * Creates the clock, the randomness, the fixtures and the test controls of an instance.
 * @throws StartError with exit code 2 if the fixtures are invalid
 */
export function createTestSetup(config: Config): TestSetup {
	const seeded = config.seed === null ? null : seededRandom(config.seed);
	const random = seeded ?? systemRandom;
	const clock = new MovableClock({
		nowMs: config.now,
		isFrozen: config.frozen,
	});
	const fixtures =
		config.fixtures === null ? null : readFixtures(config.fixtures, random);
	const setup = { clock, random, fixtures: fixtures?.(clock.startMs) ?? null };
	if (!config["test-controls"]) return { ...setup, controls: null };
	const controls: TestkitParts = {
		clock,
		fixtures:
			fixtures &&
			((nowMs) => {
				const rows = fixtures(nowMs);
				return (context) => insertFixtures(context, rows);
			}),
		restartRandom: seeded?.mark() ?? (() => {}),
		faults: new FaultInjector(),
		calls: new CallRecorder(),
		hosts: config["test-hosts"],
	};
	return { ...setup, controls };
}
