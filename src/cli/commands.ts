import type { Commands, Program } from "../core/commands/feature.ts";
import { type AllSettings, configuration, features, loadPersonalTables, loadTables } from "./features.ts";

const program: Program<AllSettings> = {
	configuration,
	loadTables,
	loadPersonalTables,
	openServices: async (flags, stack) => (await import("./open-services.ts")).openServices(flags, stack),
	startInstance: async (config, log, environment) =>
		(await import("./instance.ts")).startInstance(config, log, environment),
};

/** All commands of the program, including those of the features. */
export const commands: Commands = Object.assign(
	{
		serve: async () => (await import("./serve-command.ts")).serve,
		healthcheck: async () => (await import("./healthcheck-command.ts")).healthcheck,
		mcp: async () => (await import("./guest-command.ts")).mcp,
		backup: async () => (await import("./backup-command.ts")).backup,
		restore: async () => (await import("./backup-command.ts")).restore,
		guest: async () => (await import("./guest-command.ts")).guest,
		doctor: async () => (await import("./doctor-command.ts")).doctor,
		example: async () => (await import("./example-command.ts")).createExample(),
	},
	...features.map((feature) => feature.commands?.(program)),
);
