import type { Config } from "../../core/config/config.ts";
import { seededRandom, systemRandom } from "../../core/lib/random.ts";
import { FaultInjector } from "./faults.ts";
import { insertFixtures } from "./fixtures/insert-fixtures.ts";
import { readFixtures } from "./fixtures/read-fixtures.ts";
import { MovableClock } from "./movable-clock.ts";
import { OpenCalls } from "./open-calls.ts";
import { CallRecorder } from "./recorded-calls.ts";
import type { TestkitParts } from "./testkit.ts";

/**
 * Creates the parts that depend on settings for tests. Without such settings, the clock and the random
 * generator are those of the system, and `fixtures` and `controls` are null.
 * @throws StartError with exit code 2 if the fixtures are invalid
 */
export function createTestSetup(config: Config) {
	const seeded = config.seed === null ? null : seededRandom(config.seed);
	const random = seeded ?? systemRandom;
	const clock = new MovableClock(config.now, config.frozen);
	const fixtures = config.fixtures === null ? null : readFixtures(config.fixtures, random);
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
		openCalls: new OpenCalls(),
		hosts: config["test-hosts"],
	};
	return { ...setup, controls };
}
