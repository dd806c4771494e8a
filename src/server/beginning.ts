import type { Config } from "../config/config.ts";
import { MovableClock } from "../lib/clock.ts";
import { type Random, systemRandom } from "../lib/random.ts";
import { seededRandom } from "../lib/seeded-random.ts";
import type { TestkitParts } from "../testkit/create-testkit.ts";
import type { FixtureRows } from "../testkit/fixtures/fixture-rows.ts";

/** What an instance that is thrown away begins with; for any other it is the system's time and chance. */
export interface Beginning {
	readonly clock: MovableClock;
	readonly random: Random;
	/** Null without `--fixtures`. */
	readonly fixtures: FixtureRows | null;
	/** Null without `--test-controls`. */
	readonly controls: TestkitParts | null;
}

/**
 * Reads what an instance begins with. What only an option needs is loaded only with it.
 * @throws StartError with exit code 2 when the fixtures are wrong
 */
export async function beginningOf(config: Config): Promise<Beginning> {
	const seeded = config.seed === null ? null : seededRandom(config.seed);
	const random = seeded ?? systemRandom;
	const clock = new MovableClock({
		nowMs: config.now,
		isFrozen: config.frozen,
	});
	const { startMs } = clock;
	const fixtures =
		config.fixtures === null
			? null
			: (await import("../testkit/fixtures/read-fixtures.ts")).readFixtures(
					config.fixtures,
					random,
				);
	const rows = fixtures?.(startMs) ?? null;
	if (!config["test-controls"]) {
		return { clock, random, fixtures: rows, controls: null };
	}
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
	return { clock, random, fixtures: rows, controls };
}
