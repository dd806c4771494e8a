import type { Feature } from "../../core/commands/feature.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { settings } from "./settings.ts";

/** PostgreSQL as the database of a resort that several instances serve. */
export const postgres = {
	settings,
	engine: postgresEngine,
	settingsOfCommands: ["database-connections"],
	conflicts({ database }, given) {
		const connections = given.get("database-connections");
		return [
			[
				connections !== undefined && !postgresEngine.isNamedBy(database),
				`${connections?.from} requires a --database that is ${postgresEngine.name}`,
			],
		];
	},
	commands: ({ loadTables }) => ({
		copy: async () => (await import("./copy-command.ts")).createCopy(loadTables),
	}),
	loadExamples: async () => (await import("./examples.ts")).examples,
} satisfies Feature<typeof settings>;
