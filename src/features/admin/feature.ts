import type { Feature } from "../../core/commands/feature.ts";

/** What only the host does. */
export const admin = {
	loadTables: () => import("./tables.ts"),
	commands: (program) => ({
		admin: async () =>
			(await import("./commands/admin.ts")).createAdmin(program, await program.loadPersonalTables()),
	}),
} satisfies Feature;
