import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** `resort admin` and the host's page, with which the host manages agents, texts and invitations. */
export const admin = {
	settings,
	conflicts: (config) => [
		[
			config["admin-page"] && config.database === ":memory:",
			"--admin-page requires a database that outlives the instance, not :memory:",
		],
	],
	loadTables: () => import("./tables.ts"),
	commands: (program) => ({
		admin: async () =>
			(await import("./commands/admin.ts")).createAdmin(program, await program.loadPersonalTables()),
	}),
	load: async (config, { loadPersonalTables }) =>
		config["admin-page"] ? (await import("./page/part.ts")).pagePart(await loadPersonalTables()) : {},
} satisfies Feature<typeof settings>;
