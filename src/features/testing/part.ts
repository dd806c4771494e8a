import type { Part } from "../../core/commands/feature.ts";
import type { Values } from "../../core/config/setting.ts";
import type { CoreSettings } from "../../core/config/settings.ts";
import { systemRandom } from "../../core/lib/random.ts";
import type { Table } from "../../core/store/table-queries.ts";
import { FaultInjector } from "./faults.ts";
import { insertFixtures } from "./fixtures/insert-fixtures.ts";
import { readFixtures } from "./fixtures/read-fixtures.ts";
import { MovableClock } from "./movable-clock.ts";
import { testOperations } from "./operations.ts";
import { CallRecorder } from "./recorded-calls.ts";
import { seededRandom } from "./seeded-random.ts";
import { deletesOf, type TestkitParts } from "./service.ts";
import type { settings } from "./settings.ts";

/**
 * Returns what the settings for tests add to an instance.
 * @param loadTables loads all tables
 * @throws StartError with exit code 2 if the fixtures are invalid
 */
export async function testingPart(
	config: Values<CoreSettings & typeof settings>,
	loadTables: () => Promise<readonly Table[]>,
): Promise<Part> {
	const { seed, "test-controls": hasControls } = config;
	const seeded = seed === null ? null : seededRandom(seed);
	const random = seeded ?? systemRandom;
	const clock = new MovableClock(config.now, config.frozen);
	const fixtures = config.fixtures === null ? null : readFixtures(config.fixtures, random);
	const rows = fixtures?.(clock.startMs) ?? null;
	const agentKeys = Object.fromEntries(rows?.agents.map(({ id, key }) => [id, key.apiKey]) ?? []);
	const controls = hasControls
		? controlsPart({
				clock,
				fixtures,
				restartRandom: seeded?.mark() ?? (() => {}),
				deletes: deletesOf(await loadTables()),
				faults: new FaultInjector(),
				calls: new CallRecorder(),
				openCalls: { streams: new Set(), calls: new Set() },
				hosts: config["test-hosts"],
			})
		: {};
	return {
		...controls,
		clock: clock.now,
		random,
		agentKeys,
		// Prints the keys, which need no protection: anyone who can call such a resort can reset it.
		readyFields: hasControls ? { keys: agentKeys } : {},
		attach(app) {
			return {
				...controls.attach?.(app),
				async start({ context, log }) {
					if (rows !== null) await context.store.write(() => insertFixtures(context, rows));
					if (seed !== null) log.warn("seeded: keys and session tokens are guessable", { seed });
					if (hasControls) log.warn("test controls: anyone who can reach this instance can reset it");
				},
			};
		},
	};
}

/** Returns what the test controls add to an instance. */
export function controlsPart(parts: TestkitParts): Part {
	const { faults, calls, openCalls, hosts } = parts;
	return {
		operations: testOperations,
		pathHints: [
			{
				paths: /^\/test\//,
				hint: `The test controls are ${testOperations.map(({ method, path }) => `${method} ${path}`).join(", ")}.`,
			},
		],
		hook: { before: (call) => faults.inject(call), isArmed: () => faults.armed.length > 0 },
		observe: calls.observe,
		attach({ operations, unlisted, rateLimits, clockMoved }) {
			faults.operations = [...operations, ...unlisted].filter(({ isLocal }) => !isLocal);
			const testkit = { ...parts, rateLimits, clockMoved };
			return { context: { testkit, localHosts: hosts, openCalls }, end: () => faults.end() };
		},
	};
}
