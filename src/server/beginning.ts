import type { Config } from "../config/config.ts";
import { MovableClock } from "../lib/clock.ts";
import { type Random, systemRandom } from "../lib/random.ts";
import { seededRandom } from "../lib/seeded-random.ts";
import type { FixtureRows } from "../testkit/fixtures/rows.ts";
import type { ControlParts } from "./controls.ts";

/** What an instance that is thrown away begins with; for any other it is the system's time and chance. */
export interface Beginning {
	readonly clock: MovableClock;
	readonly random: Random;
	/** Null without `--fixtures`. */
	readonly fixtures: FixtureRows | null;
	/** Null without `--test-controls`. */
	readonly controls: ControlParts | null;
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
			: (await import("./fixtures.ts")).readFixtures(config.fixtures, random);
	const rows = fixtures?.(startMs) ?? null;
	if (!config["test-controls"]) {
		return { clock, random, fixtures: rows, controls: null };
	}
	const [{ ArmedFaults }, { CallHistory }] = await Promise.all([
		import("../testkit/faults/faults.ts"),
		import("../testkit/calls/calls.ts"),
	]);
	const controls: ControlParts = {
		clock,
		fixtures,
		restartChance: seeded?.mark() ?? (() => {}),
		faults: new ArmedFaults(),
		calls: new CallHistory(),
		hosts: config["test-hosts"],
	};
	return { clock, random, fixtures: rows, controls };
}
