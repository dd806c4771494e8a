import type { Feature } from "../../core/commands/feature.ts";
import { isLoopback } from "../../core/lib/ip-address.ts";
import { KEYS_VARIABLE, settings, URL_VARIABLE } from "./settings.ts";

/** The feature for repeatable tests: fixtures, a movable clock, seeded random values, and test controls. */
export const testing = {
	settings,
	variables: [URL_VARIABLE, KEYS_VARIABLE, `${KEYS_VARIABLE}_FILE`],
	conflicts(config) {
		const controls = config["test-controls"];
		const isNamed = config["test-hosts"].length > 0;
		const isReachable = isLoopback(config.host) || isNamed;
		// Settings for tests let anyone modify the resort or guess its keys. Therefore they are allowed only if
		// the database is temporary.
		const keepsNothing = config.ephemeral && config.database === ":memory:";
		const forMemory = (["seed", "fixtures", "now", "frozen"] as const).find(
			(name) => config[name] !== null && config[name] !== false,
		);
		return [
			[
				forMemory !== undefined && !keepsNothing,
				`--${forMemory} requires --ephemeral and --database :memory:`,
			],
			[
				controls && !(keepsNothing && isReachable),
				"--test-controls requires --ephemeral, --database :memory: and a loopback address as --host (any --host with --test-hosts)",
			],
			[isNamed && !controls, "--test-hosts requires --test-controls"],
		];
	},
	async load(config, { loadTables }) {
		const { now, frozen, seed, fixtures, "test-controls": controls } = config;
		const isUsed = now !== null || frozen || seed !== null || fixtures !== null || controls;
		const part = isUsed ? await (await import("./part.ts")).testingPart(config, loadTables) : {};
		if (controls || !config.ephemeral) return part;
		const hint = "This resort was started without --test-controls.";
		return { ...part, pathHints: [{ paths: /^\/test\//, hint }] };
	},
	commands: (program) => ({ test: async () => (await import("./test-command.ts")).createTest(program) }),
	loadExamples: async () => (await import("./examples.ts")).examples,
} satisfies Feature<typeof settings>;
