import type { Values } from "../../core/config/setting.ts";
import { seededRandom, systemRandom } from "../../core/lib/random.ts";
import type { Table } from "../../core/store/table-queries.ts";
import { FaultInjector } from "./faults.ts";
import { insertFixtures } from "./fixtures/insert-fixtures.ts";
import { readFixtures } from "./fixtures/read-fixtures.ts";
import { MovableClock } from "./movable-clock.ts";
import { OpenCalls } from "./open-calls.ts";
import { CallRecorder } from "./recorded-calls.ts";
import type { settings } from "./settings.ts";
import { deletesOf, type TestkitParts } from "./testkit.ts";

/**
 * Creates the parts that depend on settings for tests. Without such settings, the clock and the random
 * generator are those of the system, and `fixtures` and `controls` are null.
 * @param loadTables loads all tables
 * @throws StartError with exit code 2 if the fixtures are invalid
 */
export async function createTestSetup(
	config: Values<typeof settings>,
	loadTables: () => Promise<readonly Table[]>,
) {
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
		deletes: deletesOf(await loadTables()),
		faults: new FaultInjector(),
		calls: new CallRecorder(),
		openCalls: new OpenCalls(),
		hosts: config["test-hosts"],
	};
	return { ...setup, controls };
}
