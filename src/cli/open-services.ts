import { existsSync } from "node:fs";
import type { OpenServices } from "../core/commands/feature.ts";
import type { Flags } from "../core/config/setting-sources.ts";
import { systemRandom } from "../core/lib/random.ts";
import { SettingError, StartError } from "../core/lib/start-error.ts";
import type { ServiceContext } from "../core/resort/service-context.ts";
import { openLog } from "../core/server/log/log.ts";
import { configuration, endDependentsOfAll, engineOf, features, settingsOfCommands } from "./features.ts";

/** Opens an existing database for a command, as `Program.openServices` describes. */
export async function openServices(flags: Flags, stack: AsyncDisposableStack): Promise<OpenServices> {
	const config = configuration.readSome(
		["database", "log-format", ...settingsOfCommands],
		flags,
		process.env,
	);
	const { database } = config;
	if (database === ":memory:") {
		throw new SettingError(
			"another program cannot open an in-memory database: use the test controls instead (resort serve --ephemeral --test-controls)",
		);
	}
	const engine = engineOf(database);
	if (!engine.hasServer && !existsSync(database)) {
		throw new StartError(
			`database ${database} does not exist; set its path, or the URL of a PostgreSQL database, with --database or --config`,
		);
	}
	const log = openLog("info", config["log-format"]);
	stack.defer(log.close);
	const { store, migration } = await engine.open({
		database,
		config,
		environment: process.env,
		isAdministration: true,
	});
	stack.defer(() => store.close());
	if (migration !== null) log.logger.info("database migrated", { ...migration });
	const url = features.map((one) => one.providerUrl?.(config)).find((one) => one != null) ?? null;
	const context: ServiceContext = {
		store,
		clock: Date.now,
		random: systemRandom,
		// Never full, because the operator is allowed to exceed the capacity of the resort.
		capacity: { full: null },
		// No limit is needed, because no command checks an agent in.
		maxStayMs: 0,
		endDependents: endDependentsOfAll,
		// `ping` is never called by a command.
		provider: url === null ? null : { url, origin: new URL(url).origin, ping: async () => false },
		// Commands register agents regardless of `--registration`.
		registration: "open",
	};
	return { context, log };
}
