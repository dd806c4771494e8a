import type { Config } from "../config/config.ts";
import { type Random, systemRandom } from "../lib/random.ts";
import { seededRandom } from "../lib/seeded-random.ts";
import type { TestkitParts } from "../testkit/create-testkit.ts";
import type { FixtureRows } from "../testkit/fixtures/fixture-rows.ts";
import { MovableClock } from "../testkit/movable-clock.ts";

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
 * Creates the clock, the randomness, the fixtures and the test controls of an instance. Loads only the modules that the
 * configuration needs.
 * @throws StartError with exit code 2 if the fixtures are invalid
 */
export async function createTestSetup(config: Config): Promise<TestSetup> {
	const seeded = config.seed === null ? null : seededRandom(config.seed);
	const random = seeded ?? systemRandom;
	const clock = new MovableClock({
		nowMs: config.now,
		isFrozen: config.frozen,
	});
	const fixtures =
		config.fixtures === null
			? null
			: (await import("../testkit/fixtures/read-fixtures.ts")).readFixtures(
					config.fixtures,
					random,
				);
	const setup = { clock, random, fixtures: fixtures?.(clock.startMs) ?? null };
	if (!config["test-controls"]) return { ...setup, controls: null };
	const [{ FaultInjector }, { CallRecorder }] = await Promise.all([
		import("../testkit/faults.ts"),
		import("../testkit/recorded-calls.ts"),
	]);
	const controls: TestkitParts = {
		clock,
		fixtures,
		restartRandom: seeded?.mark() ?? (() => {}),
		faults: new FaultInjector(),
		calls: new CallRecorder(),
		hosts: config["test-hosts"],
	};
	return { ...setup, controls };
}
